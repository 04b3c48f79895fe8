"""Randomised rules: what a coin between two rules of a front reaches on average.

Everybody's decision is made by the one rule with a fixed chance and by the other else. The expected objective is the
mean of both rules' values at that chance. The gap between the groups' expected rates is at most the same mean of the
gaps (the largest of differences is convex), so the hull is a promise, not a hope; it can be better than promised.
Whoever draws the other side of the coin is decided otherwise than a like person: that is the price.
Source: Hardt, Price and Srebro 2016 (randomised thresholds); for objectives that are not means over rows (F1, balanced
accuracy) the value is the expected one when the coin is thrown once for everybody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.fronts.thresholds import ThresholdFront
from core.types import BadInput


@dataclass(frozen=True)
class Mixture:
    """A coin between two rules of a front: `second` (row of the front) is used with chance `share`, `first` else;
    value: the expected objective; gap: that of the expected rates is at most this."""

    first: int
    second: int
    share: float
    value: float
    gap: float


def hull(front: ThresholdFront) -> np.ndarray:
    """(H,) rows of the front on the hull of what coins reach, by growing gap: no coin between others beats them."""
    sign = 1.0 if front.higher_is_better else -1.0
    known = np.flatnonzero(np.isfinite(front.gap) & np.isfinite(front.value))
    kept: list[int] = []
    for k in known[np.argsort(front.gap[known], kind="stable")].tolist():
        if kept and sign * front.value[k] <= sign * front.value[kept[-1]]:
            continue
        while len(kept) > 1 and _below(front, sign, kept[-2], kept[-1], k):
            kept.pop()
        kept.append(k)
    return np.array(kept, dtype=np.int64)


def mixture_at(front: ThresholdFront, bound: float) -> Mixture | None:
    """The coin with the best expected objective among those that promise a gap of at most `bound`.

    Returns:
        None where even the smallest gap of the front is larger, or the front has no gap.
    """
    if not bound >= 0:
        raise BadInput("Gap bound", f"{bound:g}", "a number of at least 0", "use 0.05")
    at = hull(front)
    if not len(at) or front.gap[at[0]] > bound:
        return None
    last = int(np.searchsorted(front.gap[at], bound, side="right")) - 1
    first = int(at[last])
    if last == len(at) - 1 or front.gap[first] == bound:
        return Mixture(first, first, 0.0, float(front.value[first]), float(front.gap[first]))
    second = int(at[last + 1])
    share = float((bound - front.gap[first]) / (front.gap[second] - front.gap[first]))
    value = (1 - share) * front.value[first] + share * front.value[second]
    return Mixture(first, second, share, float(value), float(bound))


def _below(front: ThresholdFront, sign: float, a: int, b: int, c: int) -> bool:
    """Whether b lies on or below the line from a to c."""
    gap, value = front.gap, sign * front.value
    return bool((value[b] - value[a]) * (gap[c] - gap[a]) <= (value[c] - value[a]) * (gap[b] - gap[a]))
