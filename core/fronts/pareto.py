"""Dominance between points on two axes, and what a front as a whole is worth.

Shapes: M points, D draws. `higher` says for each axis whether more is better. A point with NaN is never on a front.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def non_dominated(points: np.ndarray, higher: Sequence[bool] = (True, True)) -> np.ndarray:
    """Points (..., M, 2) -> (..., M) bool: no other point is at least as good on both axes and better on one.

    Equal points are on the front together.

    >>> non_dominated(np.array([[1.0, 3.0], [2.0, 2.0], [1.0, 2.0]])).tolist()
    [True, True, False]
    """
    upward = _upward(points, higher)
    if upward.shape[-2] == 0:
        return np.zeros(upward.shape[:-1], dtype=bool)
    order = np.argsort(-upward[..., 1], axis=-1, kind="stable")
    first = np.take_along_axis(upward[..., 0], order, -1)
    order = np.take_along_axis(order, np.argsort(-first, axis=-1, kind="stable"), -1)
    x, y = (np.take_along_axis(upward[..., axis], order, -1) for axis in (0, 1))
    # sorted by x, then y, best first: a point is beaten by a better y at larger x, or at the head of its own x
    place = np.broadcast_to(np.arange(x.shape[-1]), x.shape)
    fresh = np.concatenate([np.ones_like(x[..., :1], dtype=bool), x[..., 1:] != x[..., :-1]], axis=-1)
    head = np.maximum.accumulate(np.where(fresh, place, 0), axis=-1)
    best = np.maximum.accumulate(y, axis=-1)
    earlier = np.where(head > 0, np.take_along_axis(best, np.maximum(head - 1, 0), -1), -np.inf)
    kept = (y > earlier) & (y == np.take_along_axis(y, head, -1)) & np.isfinite(x)
    out = np.zeros(x.shape, dtype=bool)
    np.put_along_axis(out, order, kept, -1)
    return out


def front_share(draws: np.ndarray, higher: Sequence[bool] = (True, True)) -> np.ndarray:
    """Draws (D, M, 2) -> (M,): the share of bootstrap worlds in which each point is on the front."""
    return non_dominated(draws, higher).mean(0)


def hypervolume(points: np.ndarray, reference: Sequence[float], higher: Sequence[bool] = (True, True)) -> float:
    """Area between the front of points (M, 2) and a reference point; what is not better than it adds nothing.

    >>> hypervolume(np.array([[1.0, 3.0], [2.0, 2.0]]), (0, 0))
    5.0
    """
    upward = _upward(points, higher) - _upward(np.asarray(reference, dtype=np.float64)[None], higher)
    kept = upward[non_dominated(upward) & (upward > 0).all(-1)]
    kept = kept[np.argsort(kept[:, 0])]
    left = np.concatenate([[0.0], kept[:-1, 0]]) if len(kept) else kept[:, 0]
    return float(((kept[:, 0] - left) * kept[:, 1]).sum())


def knee(points: np.ndarray, higher: Sequence[bool] = (True, True)) -> int | None:
    """Number of the front point where a further gain on one axis starts to cost much on the other.

    It is the point farthest above the straight line between the two ends of the front, both axes scaled to the
    front's own range. None where the front has fewer than three different points or none lies above the line.
    Source: Das 1999.
    """
    upward = _upward(points, higher)
    front = np.flatnonzero(non_dominated(upward))
    if len(np.unique(upward[front], axis=0)) < 3:
        return None
    shown = upward[front]
    scaled = (shown - shown.min(0)) / np.ptp(shown, axis=0)
    above = scaled.sum(-1) - 1
    best = int(above.argmax())
    return int(front[best]) if above[best] > 1e-9 else None


def _upward(points: np.ndarray, higher: Sequence[bool]) -> np.ndarray:
    """Both axes turned so that more is better; points with a NaN become minus infinity on both."""
    points = np.asarray(points, dtype=np.float64)
    upward = points * np.where(np.asarray(higher, dtype=bool), 1.0, -1.0)
    return np.where(np.isnan(points).any(-1, keepdims=True), -np.inf, upward)
