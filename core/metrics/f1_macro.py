"""Macro F1: the mean over classes of each class's F1."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import Metric


def _f1_macro(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): mean of 2 TP / (rows + predictions) over classes; NaN where a class has neither."""
    tp = np.diagonal(counts, axis1=-2, axis2=-1)
    return divide(2 * tp, counts.sum(-1) + counts.sum(-2)).mean(-1)


METRIC = Metric(
    name="f1_macro",
    title="F1 score, mean over classes",
    help="The F1 score of every class against all others, averaged so that a rare class weighs as much as a common "
    "one.",
    of=_f1_macro,
    undefined="a class with 0 rows that is never predicted",
    equation="mean over classes of 2 TP / (2 TP + FP + FN)",
    source="Opitz & Burst 2019",
    aka={"Fairlearn": 'f1_score with average="macro" (scikit-learn)'},
    order=116,
)
