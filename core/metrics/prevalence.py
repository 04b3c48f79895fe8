"""Prevalence: the share of rows whose true label is positive."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _prevalence(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): truly positive / all; NaN for no rows."""
    tn, fp, fn, tp = cells(counts)
    return divide(tp + fn, tn + fp + fn + tp)


METRIC = Metric(
    name="prevalence",
    title="Prevalence",
    help="The share of people whose true label is positive. It describes the data and is the same for every model.",
    of=_prevalence,
    undefined="0 rows",
    higher_is_better=None,
    binary=True,
    equation="(TP + FN) / n",
    source="Altman & Bland 1994",
    aka={"Fairlearn": "selection_rate of y_true", "AIF360": "base_rate", "Aequitas": "prev",
         "OxonFair": "pos_data_rate"},
    order=140,
)
