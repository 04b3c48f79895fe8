"""What the formulas over counts share: the four cells of two classes, and a division in which 0/0 is undefined."""

from __future__ import annotations

import numpy as np

from core.types import BadInput


def divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """numerator / denominator, NaN where the denominator is 0 (or NaN).

    >>> divide(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    out = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def cells(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(..., 2, 2) counts -> TN, FP, FN, TP, each (...); BadInput for several classes."""
    if counts.shape[-1] != 2:
        raise BadInput("Metric", f"{counts.shape[-1]} classes", "2 classes", "choose accuracy or balanced accuracy")
    return counts[..., 0, 0], counts[..., 0, 1], counts[..., 1, 0], counts[..., 1, 1]


def hits(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) counts -> (...) weight of the rows predicted right."""
    return np.einsum("...ii->...", counts)
