"""Balanced accuracy: the mean over classes of the share predicted right."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import Metric


def _balanced_accuracy(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): mean recall of the classes; NaN where a class has no rows."""
    recall = divide(np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-1))
    return recall.mean(-1)


METRIC = Metric(
    name="balanced_accuracy",
    title="Balanced accuracy",
    help="The mean over classes of the share predicted right, so that a rare class weighs as much as a common one. "
    "A model that ignores its input reaches one over the number of classes.",
    of=_balanced_accuracy,
    undefined="a class with 0 rows",
    equation="(TP / (TP + FN) + TN / (TN + FP)) / 2; with several classes the mean recall",
    source="Brodersen, Ong, Stephan & Buhmann 2010",
    aka={"Fairlearn": "balanced_accuracy_score", "AIF360": "(true_positive_rate + true_negative_rate) / 2",
         "OxonFair": "balanced_accuracy"},
    order=20,
)
