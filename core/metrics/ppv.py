"""Precision: of the selected, the share that is truly positive."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _ppv(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): TP / (TP + FP); NaN with nobody selected."""
    _, fp, _, tp = cells(counts)
    return divide(tp, tp + fp)


METRIC = Metric(
    name="ppv",
    title="Precision",
    help="Of the people whom the model selects, the share whose true label is positive (positive "
    "predictive value). Predictive parity compares it between groups.",
    of=_ppv,
    undefined="nobody selected",
    binary=True,
    equation="TP / (TP + FP)",
    source="Chouldechova 2017",
    aka={"Fairlearn": "precision_score", "AIF360": "positive_predictive_value",
         "Aequitas": "precision", "OxonFair": "pos_pred_val, precision"},
    order=90,
)
