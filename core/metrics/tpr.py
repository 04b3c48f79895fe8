"""True positive rate: of the truly positive, the share that is selected."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _tpr(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): TP / (TP + FN); NaN with 0 positives."""
    _, _, fn, tp = cells(counts)
    return divide(tp, tp + fn)


METRIC = Metric(
    name="tpr",
    title="True positive rate",
    help="Of the people whose true label is positive, the share that the model selects (recall, "
    "sensitivity). Equal opportunity compares it between groups.",
    of=_tpr,
    undefined="0 positives",
    binary=True,
    equation="TP / (TP + FN)",
    source="Hardt, Price & Srebro 2016",
    aka={"Fairlearn": "true_positive_rate", "AIF360": "true_positive_rate",
         "Aequitas": "tpr", "OxonFair": "true_pos_rate, recall"},
    order=50,
)
