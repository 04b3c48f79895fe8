"""Sums over rows from which every measure of a regression follows, as confusion counts are for classes.

Shapes: N rows, G groups, K = len(MOMENTS). Moments of two sets of rows add up, so those of everybody are the sum over
groups, and a bootstrap world is another weight.
"""

from __future__ import annotations

import numpy as np

from core.types import BadInput

MOMENTS = ("n", "y", "p", "dy", "dp", "yy", "pp", "yp", "abs", "square", "log_abs", "exact")
SHOTS = ("many-shot", "medium-shot", "few-shot")


def sum_moments(
    y: np.ndarray, pred: np.ndarray, group: np.ndarray, n_groups: int, weight: np.ndarray | None = None
) -> np.ndarray:
    """Weighted sums over the rows of every group.

    Args:
        y, pred: (N,) finite values. group: (N,) 0..n_groups-1, -1 is in no group.
        weight: (..., N) row weights, leading axes are bootstrap worlds; None counts rows.

    Returns:
        (..., G, K) float64 in the order of MOMENTS: rows n; y and p; with c the mean of all y, dy = y - c and
        dp = p - c and their products yy, pp, yp (centred, so that variances keep their digits); |p - y|; (p - y)^2;
        log |p - y| over the rows that are not exact; the rows that are exact.
    """
    y, pred, group = (np.asarray(a) for a in (y, pred, group))
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not len(y) == len(pred) == len(group) == w.shape[-1]:
        raise BadInput("Rows", f"{len(y)} labels, {len(pred)} predictions, {len(group)} groups", "as many of each",
                       "give columns of the same rows")
    for name, values in (("Label", y), ("Prediction", pred)):
        if values.size and not np.isfinite(values).all():
            raise BadInput(name, f"{int((~np.isfinite(values)).sum())} values that are no numbers", "a number each",
                           "leave those rows out")
    rows = _row_values(y.astype(np.float64), pred.astype(np.float64))
    found = np.zeros((*w.shape[:-1], n_groups, len(MOMENTS)))
    order = group.argsort(kind="stable")
    ends = np.searchsorted(group[order], np.arange(n_groups + 1))
    for g in range(n_groups):
        own = order[ends[g] : ends[g + 1]]
        found[..., g, :] = w[..., own] @ rows[own]
    return found


def moment(moments: np.ndarray, name: str) -> np.ndarray:
    """One sum by its name: (..., K) -> (...)."""
    return moments[..., MOMENTS.index(name)]


def shots(y_train: np.ndarray, y: np.ndarray, width: float = 1.0, many: int = 100, few: int = 20) -> np.ndarray:
    """Which labels were seen often in training: 0 many-shot, 1 medium-shot, 2 few-shot.

    Args:
        y_train: (M,) training labels. y: (N,) labels to sort. width: of a bin of labels.
        many, few: a bin with more training rows than `many` is many-shot, with fewer than `few` few-shot.

    Returns:
        (N,) int64 numbers of SHOTS; a label never seen is few-shot.

    Source: Yang, Zha, Chen, Wang & Katabi 2021, "Delving into Deep Imbalanced Regression".
    """
    if not width > 0:
        raise BadInput("Bin width", repr(width), "more than 0", "use 1")
    seen = np.floor(np.asarray(y_train, dtype=np.float64) / width)
    asked = np.floor(np.asarray(y, dtype=np.float64) / width)
    bins, rows = np.unique(seen, return_counts=True)
    if not len(bins):
        return np.full(len(asked), 2, dtype=np.int64)
    at = np.minimum(np.searchsorted(bins, asked), len(bins) - 1)
    n = np.where(bins[at] == asked, rows[at], 0)
    return np.where(n > many, 0, np.where(n < few, 2, 1)).astype(np.int64)


def _row_values(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """(N, K): what each row adds."""
    centre = y.mean() if len(y) else 0.0
    dy, dp, error = y - centre, p - centre, np.abs(p - y)
    exact = error == 0
    log_abs = np.log(np.where(exact, 1.0, error))
    return np.stack([np.ones_like(y), y, p, dy, dp, dy * dy, dp * dp, dy * dp, error, error**2, log_abs, exact], -1)
