"""Negative predictive value: of those not selected, the share that is truly negative."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _npv(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): TN / (TN + FN); NaN with everybody selected."""
    tn, _, fn, _ = cells(counts)
    return divide(tn, tn + fn)


METRIC = Metric(
    name="npv",
    title="Negative predictive value",
    help="Of the people whom the model does not select, the share whose true label is negative.",
    of=_npv,
    undefined="everybody selected",
    binary=True,
    equation="TN / (TN + FN)",
    source="Altman & Bland 1994",
    aka={"AIF360": "negative_predictive_value", "Aequitas": "1 - for", "OxonFair": "neg_pred_val"},
    order=100,
)
