"""Matthews correlation coefficient: the correlation between true and predicted classes."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide, hits
from core.types import Metric


def _mcc(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): covariance / root of the product of variances; NaN where either never varies."""
    true, chosen = counts.sum(-1), counts.sum(-2)
    n = true.sum(-1)
    covariance = hits(counts) * n - (true * chosen).sum(-1)
    # n^2 - sum of squares as a sum of products: exactly 0 where only one class occurs
    spread = np.sqrt(_between(true) * _between(chosen))
    return np.clip(divide(covariance, spread), -1.0, 1.0)


def _between(sizes: np.ndarray) -> np.ndarray:
    """Sum over classes of size * (everyone else)."""
    others = np.stack([np.delete(sizes, c, axis=-1).sum(-1) for c in range(sizes.shape[-1])], axis=-1)
    return (sizes * others).sum(-1)


METRIC = Metric(
    name="mcc",
    title="Correlation (Matthews)",
    help="The correlation between the true and the predicted class: 1 is perfect, 0 is no better than guessing, "
    "-1 is always wrong. It stays honest when one class is rare.",
    of=_mcc,
    undefined="only one class among labels or predictions",
    bounds=(-1.0, 1.0),
    equation="(TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))",
    source="Matthews 1975; Gorodkin 2004 for several classes",
    aka={"Fairlearn": "matthews_corrcoef (scikit-learn)", "OxonFair": "mcc"},
    order=120,
)
