"""F1: the harmonic mean of precision and the true positive rate."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _f1(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): 2 TP / (2 TP + FP + FN); NaN with no positives and nobody selected."""
    _, fp, fn, tp = cells(counts)
    return divide(2 * tp, 2 * tp + fp + fn)


METRIC = Metric(
    name="f1",
    title="F1 score",
    help="The harmonic mean of precision and the true positive rate: high only when the model finds most positives "
    "and most of those it selects are positive. Rows rightly left alone do not count.",
    of=_f1,
    undefined="0 positives and nobody selected",
    binary=True,
    equation="2 TP / (2 TP + FP + FN)",
    source="van Rijsbergen 1979",
    aka={"Fairlearn": "f1_score", "OxonFair": "f1"},
    order=110,
)
