"""Macro precision: the mean over classes of each class's precision."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import Metric


def _ppv_macro(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): mean precision of the classes; NaN where a class is never predicted."""
    return divide(np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-2)).mean(-1)


METRIC = Metric(
    name="ppv_macro",
    title="Precision, mean over classes",
    help="Of the rows given each class, the share that belongs to it, averaged over classes. The mean of the true "
    "positive rates in the same way is the balanced accuracy.",
    of=_ppv_macro,
    undefined="a class that is never predicted",
    equation="mean over classes of TP / (TP + FP)",
    source="Sokolova & Lapalme 2009",
    aka={"Fairlearn": 'precision_score with average="macro" (scikit-learn)'},
    order=118,
)
