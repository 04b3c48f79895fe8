"""F2: precision and the true positive rate together, the latter weighing more."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _f2(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): 5 TP / (5 TP + 4 FN + FP); NaN with no positives and nobody selected."""
    _, fp, fn, tp = cells(counts)
    return divide(5 * tp, 5 * tp + 4 * fn + fp)


METRIC = Metric(
    name="f2",
    title="F2 score",
    help="Like F1, but a missed positive costs four times what a wrongly selected row costs: for rare positives that "
    "must be found.",
    of=_f2,
    undefined="0 positives and nobody selected",
    binary=True,
    equation="5 TP / (5 TP + 4 FN + FP)",
    source="van Rijsbergen 1979",
    aka={"Fairlearn": "fbeta_score with beta = 2 (scikit-learn)"},
    order=112,
)
