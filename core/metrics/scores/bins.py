"""Calibration error over bins, for all worlds at once."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide

BINS = 15


def binned_error(
    negatives: np.ndarray, positives: np.ndarray, score: np.ndarray, where: np.ndarray, bins: int = BINS
) -> np.ndarray:
    """Weights (W, T) at scores (T,) -> (W,): sum over bins of |weight * (share of positives - mean score)| / weight.

    Args:
        where: (W, T) in [0, 1], what the bins of equal width are cut from: the score, or the rank of the score.
    """
    bin_of = np.minimum((where * bins).astype(np.int64), bins - 1)
    cell = bin_of + bins * np.arange(len(bin_of))[:, None]
    distance = positives * (1.0 - score) - negatives * score
    sums = np.bincount(cell.ravel(), weights=distance.ravel(), minlength=len(bin_of) * bins)
    return divide(np.abs(sums).reshape(-1, bins).sum(-1), (negatives + positives).sum(-1))
