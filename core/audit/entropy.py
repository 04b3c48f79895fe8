"""Inequality of benefits: generalized entropy indices of predictions, over people and between groups."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide


def entropy_index(counts: np.ndarray, alpha: int) -> np.ndarray:
    """(..., A, 2, 2) -> (...): generalized entropy index of the benefit prediction - label + 1.

    A wrong rejection has benefit 0, a wrong selection 2. alpha: 1 (Theil) or 2. NaN where everybody is wrongly
    rejected. Source: Speicher et al. 2018.

    >>> round(float(entropy_index(np.array([[[5.0, 1.0], [3.0, 3.0]]]), 2)), 4)
    0.22
    """
    mass = np.stack([counts[..., 1, 0], counts[..., 0, 0] + counts[..., 1, 1], counts[..., 0, 1]], -1).sum(-2)
    return _entropy(mass, np.array([0.0, 1.0, 2.0]), alpha)


def between_theil(counts: np.ndarray) -> np.ndarray:
    """(..., A, 2, 2) -> (...): Theil index where everybody has the mean benefit of the own group."""
    mass = counts.sum((-2, -1))
    return _entropy(mass, divide(mass + counts[..., 0, 1] - counts[..., 1, 0], mass), 1)


def _entropy(mass: np.ndarray, benefit: np.ndarray, alpha: int) -> np.ndarray:
    benefit = np.where(mass > 0, benefit, 0.0)
    total = mass.sum(-1)
    part = divide(benefit, divide((mass * benefit).sum(-1), total)[..., None])
    each = (part**2 - 1) / 2 if alpha == 2 else part * np.log(np.where(part > 0, part, 1.0))
    return divide((mass * each).sum(-1), total)
