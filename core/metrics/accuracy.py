"""Accuracy: the share of rows that are predicted right."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide, hits
from core.types import Metric


def _accuracy(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): diagonal / all; NaN for no rows."""
    return divide(hits(counts), counts.sum((-2, -1)))


METRIC = Metric(
    name="accuracy",
    title="Accuracy",
    help="The share of rows that the model gets right. Where one class is rare, predicting the common one always "
    "already looks good, so read it beside the worst group.",
    of=_accuracy,
    undefined="0 rows",
    equation="(TP + TN) / n; with several classes the diagonal / n",
    source="Provost, Fawcett & Kohavi 1998, on its limits",
    aka={"Fairlearn": "accuracy_score", "AIF360": "accuracy", "Aequitas": "accuracy", "OxonFair": "accuracy"},
    order=10,
)
