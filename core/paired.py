"""Two models on the same rows: differences of their rates and areas with what the pairing gives, and tests of them.

Shapes: M models, N rows; everything else broadcasts. Rates come with effective rows where rows have weights.
"""

from __future__ import annotations

import numpy as np

from core.inference import normal_quantile, placements, wilson


def paired_difference(a: np.ndarray, b: np.ndarray, both: np.ndarray, n: np.ndarray,
                      level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Newcombe's interval of the difference b - a of two rates of the same rows.

    Args:
        a, b: shares of rows with the event under each model. both: share with it under both. n: (effective) rows.

    Returns:
        low, high; NaN where n is 0. Rows that agree make it narrow: the correlation (phi, with a continuity correction
        where it is positive) enters the two Wilson intervals. Source: Newcombe 1998, paired data, method 10.

    >>> [round(float(end), 3) for end in paired_difference(38 / 50, 48 / 50, 36 / 50, 50)]
    [0.057, 0.34]
    """
    a, b, both, n = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (a, b, both, n)))
    (low_a, high_a), (low_b, high_b) = (wilson(p * n, n, level) for p in (a, b))
    cross = (both * (1 - a - b + both) - (b - both) * (a - both)) * n
    cross = np.where(cross > 0, np.maximum(cross - 0.5, 0.0), cross)  # ad - bc over n, less n/2 over n
    spread = np.sqrt(np.clip(a * (1 - a) * b * (1 - b), 0, None)) * n
    phi = np.clip(np.divide(cross, spread, out=np.zeros(a.shape), where=spread > 0), -1, 1)
    down_a, up_a, down_b, up_b = a - low_a, high_a - a, b - low_b, high_b - b
    low = b - a - np.sqrt(np.maximum(down_b**2 - 2 * phi * down_b * up_a + up_a**2, 0))
    high = b - a + np.sqrt(np.maximum(up_b**2 - 2 * phi * up_b * down_a + down_a**2, 0))
    return low, high


def mcnemar(only_a: np.ndarray, only_b: np.ndarray) -> np.ndarray:
    """Mid-p value of McNemar's exact test that rows differ in either direction equally often.

    Args:
        only_a, only_b: rows with the event under one model alone; with weights, effective rows (rounded).

    Returns:
        p, 1 where nobody differs. Source: McNemar 1947; Fagerland, Lydersen and Laake 2013 (mid-p).

    >>> round(float(mcnemar(2, 12)), 4)
    0.0074
    """
    from scipy.stats import binom

    one, other = np.broadcast_arrays(np.rint(only_a), np.rint(only_b))
    n, least = one + other, np.minimum(one, other)
    p = 2 * binom.cdf(least, n, 0.5) - binom.pmf(least, n, 0.5)
    return np.where(n == 0, 1.0, np.minimum(p, 1.0))


def auc_covariance(scores: np.ndarray, y: np.ndarray,
                   weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Areas under the ROC curves of several models on the same rows, and their covariance.

    Args:
        scores: (M, N). y: (N,) 0 or 1. weight: (N,) or None.

    Returns:
        (M,) areas and (M, M) covariances; NaN without both classes, covariances also with one row of a class.
        Source: DeLong, DeLong & Clarke-Pearson 1988.
    """
    scores, positive = np.asarray(scores, dtype=np.float64), np.asarray(y) == 1
    w = np.ones(len(positive)) if weight is None else np.asarray(weight, dtype=np.float64)
    models = len(scores)
    if w[positive].sum() <= 0 or w[~positive].sum() <= 0:
        return np.full(models, np.nan), np.full((models, models), np.nan)
    above = np.stack([placements(s[positive], s[~positive], w[~positive]) for s in scores])
    below = 1 - np.stack([placements(s[~positive], s[positive], w[positive]) for s in scores])
    area = np.average(above, axis=1, weights=w[positive])
    return area, _covariance(above, w[positive]) + _covariance(below, w[~positive])


def auc_difference(scores: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None,
                   level: float = 0.95) -> tuple[float, float, float, float]:
    """Area of the second of two models minus that of the first: (difference, low, high, p)."""
    area, covariance = auc_covariance(scores, y, weight)
    difference = float(area[1] - area[0])
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    if not np.isfinite(variance):
        return difference, float("nan"), float("nan"), float("nan")
    spread = float(np.sqrt(max(variance, 0.0)))
    half = normal_quantile(level) * spread
    p = p_of(difference, spread)
    return difference, max(-1.0, difference - half), min(1.0, difference + half), p


def p_of(difference: float, spread: float) -> float:
    """Two-sided p-value of a difference with this standard error; 1 for no difference without spread."""
    if spread == 0:
        return 1.0 if difference == 0 else 0.0
    from math import erfc, sqrt

    return erfc(abs(difference) / spread / sqrt(2))


def _covariance(values: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(M, M) estimated covariance of weighted means of (M, n); NaN for one row."""
    n = int((w > 0).sum())
    if n < 2:
        return np.full((len(values), len(values)), np.nan)
    deviation = w * (values - np.average(values, axis=1, weights=w)[:, None])
    return deviation @ deviation.T / w.sum() ** 2 * n / (n - 1)
