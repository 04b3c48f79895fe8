"""Selection rate: the share of rows that are predicted positive."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _selection_rate(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): predicted positive / all; NaN for no rows."""
    tn, fp, fn, tp = cells(counts)
    return divide(tp + fp, tn + fp + fn + tp)


METRIC = Metric(
    name="selection_rate",
    title="Selection rate",
    help="The share of people that the model selects (predicts positive), right or wrong. Neither high nor low is "
    "better in itself; groups with different rates are what demographic parity is about.",
    of=_selection_rate,
    undefined="0 rows",
    higher_is_better=None,
    binary=True,
    equation="(TP + FP) / n",
    source="Calders & Verwer 2010",
    aka={"Fairlearn": "selection_rate", "AIF360": "selection_rate", "Aequitas": "pprev", "OxonFair": "pos_pred_rate"},
    order=40,
)
