"""G-mean: the geometric mean over classes of the share predicted right."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import Metric


def _g_mean(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): geometric mean of the recalls; NaN where a class has no rows."""
    recall = divide(np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-1))
    return recall.prod(-1) ** (1.0 / counts.shape[-1])


METRIC = Metric(
    name="g_mean",
    title="G-mean",
    help="The geometric mean over classes of the share predicted right. It is 0 as soon as one class is never found, "
    "however well the others do.",
    of=_g_mean,
    undefined="a class with 0 rows",
    equation="sqrt(TPR TNR); with several classes the C-th root of the product of recalls",
    source="Kubat & Matwin 1997",
    aka={"Fairlearn": "geometric_mean_score (imbalanced-learn)"},
    order=114,
)
