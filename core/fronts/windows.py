"""Exact search for one cut per group such that all rates lie in a window, with the largest total gain.

One rate: every window starts at a rate that some group reaches, and inside it each group takes its best cut; a table
of range maxima answers all windows at once. Two rates (equalized odds): windows are boxes; because both rates only
grow along the cuts, a box is again a range of cuts in every group. The cost is linear in the number of groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

TOL = 1e-12  # rates are ratios of sums: equal ones may differ in the last digits
BLOCK = 400_000


class Choice(NamedTuple):
    """cut (A,) the chosen position of each group; gap, what the rates of these cuts differ by; gain, the sum."""

    cut: np.ndarray
    gap: float
    gain: float


class RangeMax:
    """Leftmost position of the maximum in any range of `values` (J,): built in J log J, answered in constant time."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        self.levels = [np.arange(len(values), dtype=np.int32)]
        width = 1
        while 2 * width <= len(values):
            left, right = self.levels[-1][:-width], self.levels[-1][width:]
            self.levels.append(np.where(values[left] >= values[right], left, right))
            width *= 2

    def argmax(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Positions low <= ... <= high (inclusive), any shape; ranges must not be empty."""
        power = np.frexp(high - low + 1)[1] - 1
        out = np.empty(low.shape, dtype=np.int32)
        for level in np.unique(power):
            here = power == level
            left = self.levels[level][low[here]]
            right = self.levels[level][high[here] - (1 << int(level)) + 1]
            out[here] = np.where(self.values[left] >= self.values[right], left, right)
        return out


class WindowSearch:
    """One rate per group: rates[a] (J,) and gains[a] (J,) of the groups that are compared."""

    def __init__(self, rates: Sequence[np.ndarray], gains: Sequence[np.ndarray]) -> None:
        self.order = [np.argsort(r, kind="stable") for r in rates]
        self.rates = [r[o] for r, o in zip(rates, self.order, strict=True)]
        self.starts = np.unique(np.concatenate(self.rates))
        self.low = [np.searchsorted(r, self.starts - TOL, "left") for r in self.rates]
        self.aim(gains)

    def aim(self, gains: Sequence[np.ndarray]) -> None:
        """Take other gains for the same cuts."""
        self.gains = [g[o] for g, o in zip(gains, self.order, strict=True)]
        self.best = [RangeMax(g) for g in self.gains]

    @property
    def n_rates(self) -> int:
        return len(self.starts)

    def smallest_gap(self) -> float:
        """The smallest gap that any choice of cuts reaches."""
        end = np.full(len(self.starts), -np.inf)
        for rate, low in zip(self.rates, self.low, strict=True):
            end = np.maximum(end, np.append(rate, np.inf)[low])
        return max(0.0, float((end - self.starts).min()))

    def solve(self, bound: float) -> Choice | None:
        """Largest total gain with a gap of at most `bound`, of equal ones the smallest gap; None if out of reach."""
        total, picks = np.zeros(len(self.starts)), []
        for rate, low, gain, best in zip(self.rates, self.low, self.gains, self.best, strict=True):
            high = np.searchsorted(rate, self.starts + bound + TOL, "right") - 1
            reached = high >= low
            pick = best.argmax(np.minimum(low, len(rate) - 1), np.maximum(high, np.minimum(low, len(rate) - 1)))
            total += np.where(reached, gain[pick], -np.inf)
            picks.append(pick)
        top = total.max()
        if not np.isfinite(top):
            return None
        ties = np.flatnonzero(total >= top - TOL * max(1.0, abs(top)))
        reached_rates = np.stack([rate[pick[ties]] for rate, pick in zip(self.rates, picks, strict=True)])
        gaps = np.ptp(reached_rates, axis=0)
        one = ties[gaps.argmin()]
        cut = np.array([order[pick[one]] for order, pick in zip(self.order, picks, strict=True)])
        return Choice(cut, float(gaps.min()), float(top))

    def cell_choices(self, resolution: float) -> list[np.ndarray]:
        """Best cuts for every number of neighbouring cells of width `resolution`: a few cuts (A,) each, improving.

        A choice whose rates differ by at most k * resolution lies in k + 1 neighbouring cells: its gain is reached.
        """
        cells = int(np.ceil(1 / resolution)) + 1
        best = np.full((len(self.rates), cells), -np.inf)
        where = np.zeros((len(self.rates), cells), dtype=np.int64)
        for a, (rate, gain) in enumerate(zip(self.rates, self.gains, strict=True)):
            cell = np.minimum((rate / resolution + 1e-9).astype(np.int64), cells - 1)
            first = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
            best[a, cell[first]] = np.maximum.reduceat(gain, first)
            hit = np.flatnonzero(gain == best[a, cell])[::-1]
            where[a, cell[hit]] = hit  # the first of equal ones is written last
        found, top, widest = [], -np.inf, best.copy()
        for width in range(cells):
            if width:
                np.maximum(widest[:, : cells - width], best[:, width:], out=widest[:, : cells - width])
            total = widest[:, : cells - width].sum(0)
            start = int(total.argmax())
            if total[start] > top + TOL * max(1.0, abs(top) if np.isfinite(top) else 1.0):
                top = total[start]
                at = start + best[:, start : start + width + 1].argmax(1)
                found.append(np.array([o[where[a, at[a]]] for a, o in enumerate(self.order)]))
        return found


class FloorSearch:
    """One error rate per group, of which the largest counts: each group is held to the bound on its own."""

    def __init__(self, rates: Sequence[np.ndarray], gains: Sequence[np.ndarray]) -> None:
        self.order = [np.argsort(r, kind="stable") for r in rates]
        self.rates = [r[o] for r, o in zip(rates, self.order, strict=True)]
        self.aim(gains)

    def aim(self, gains: Sequence[np.ndarray]) -> None:
        """Take other gains for the same cuts."""
        self.gains = [g[o] for g, o in zip(gains, self.order, strict=True)]
        self.best = [_first_of_running_max(g) for g in self.gains]

    @property
    def n_rates(self) -> int:
        return len(np.unique(np.concatenate(self.rates)))

    def smallest_gap(self) -> float:
        """The smallest worst rate that any choice of cuts reaches."""
        return float(max(rate[0] for rate in self.rates))

    def solve(self, bound: float) -> Choice | None:
        """As WindowSearch.solve; the gap is the largest rate."""
        if self.smallest_gap() > bound + TOL:
            return None
        picks = [best[np.searchsorted(rate, bound + TOL, "right") - 1]
                 for rate, best in zip(self.rates, self.best, strict=True)]
        gap = max(float(rate[p]) for rate, p in zip(self.rates, picks, strict=True))
        gain = sum(float(gain[p]) for gain, p in zip(self.gains, picks, strict=True))
        return Choice(np.array([o[p] for o, p in zip(self.order, picks, strict=True)]), gap, gain)

    def all_choices(self) -> np.ndarray:
        """(K, A) best cuts under every bound that makes a difference."""
        bounds = np.unique(np.concatenate(self.rates))
        bounds = bounds[bounds >= self.smallest_gap() - TOL]
        return np.stack([order[best[np.searchsorted(rate, bounds + TOL, "right") - 1]]
                         for order, rate, best in zip(self.order, self.rates, self.best, strict=True)], axis=-1)


class BoxSearch:
    """Two rates per group, both growing along the cuts; None where a group's rate is undefined.

    corner: 0 tries every box that starts at reachable rates (exact); otherwise boxes start on a grid of that width,
    and any choice with a gap of at most bound - corner is still covered.
    """

    def __init__(self, first: Sequence[np.ndarray | None], second: Sequence[np.ndarray | None],
                 gains: Sequence[np.ndarray], corner: float = 0.0) -> None:
        self.axes = (first, second)
        self.starts = [_starts(axis, corner) for axis in self.axes]
        self.low = [[_left(rate, starts) for rate in axis] for axis, starts in zip(self.axes, self.starts, strict=True)]
        self.aim(gains)

    def aim(self, gains: Sequence[np.ndarray]) -> None:
        """Take other gains for the same cuts."""
        self.gains, self.best = list(gains), [RangeMax(g) for g in gains]

    @property
    def n_rates(self) -> int:
        return len(self.starts[0]) * len(self.starts[1])

    def smallest_gap(self) -> float:
        """0: selecting nobody in any group has no gap."""
        return 0.0

    def solve(self, bound: float) -> Choice | None:
        """As WindowSearch.solve; the gap is the larger of the two."""
        high = [[_right(rate, starts + bound) for rate in axis]
                for axis, starts in zip(self.axes, self.starts, strict=True)]
        chosen: Choice | None = None
        step = max(1, BLOCK // len(self.starts[1]))
        for begin in range(0, len(self.starts[0]), step):
            found = self._block(slice(begin, begin + step), high)
            if found and (chosen is None or (found.gain, -found.gap) > (chosen.gain, -chosen.gap)):
                chosen = found
        return chosen

    def _block(self, block: slice, high: Sequence[Sequence[np.ndarray | None]]) -> Choice | None:
        shape = (len(self.starts[0][block]), len(self.starts[1]))
        total, picks = np.zeros(shape), []
        for g, (gain, best) in enumerate(zip(self.gains, self.best, strict=True)):
            last = len(gain) - 1
            low = np.maximum(_across(self.low[0][g], block, 0), _down(self.low[1][g], 0))
            top = np.minimum(_across(high[0][g], block, last), _down(high[1][g], last))
            low, top = np.broadcast_to(low, shape), np.broadcast_to(top, shape)
            inside = low <= top
            pick = np.zeros(shape, dtype=np.int32)
            pick[inside] = best.argmax(low[inside], top[inside])
            total += np.where(inside, gain[pick], -np.inf)
            picks.append(pick)
        top_gain = total.max()
        if not np.isfinite(top_gain):
            return None
        ties = total >= top_gain - TOL * max(1.0, abs(top_gain))
        cuts = np.stack([pick[ties] for pick in picks])
        gaps = np.maximum(*(_spread(axis, cuts) for axis in self.axes))
        return Choice(cuts[:, gaps.argmin()].astype(np.int64), float(gaps.min()), float(top_gain))


def _first_of_running_max(values: np.ndarray) -> np.ndarray:
    """(J,) -> (J,) position of the first maximum among values[0..j]."""
    top = np.maximum.accumulate(values)
    fresh = np.append(True, top[1:] > top[:-1])
    return np.maximum.accumulate(np.where(fresh, np.arange(len(values)), 0))


def _starts(axis: Sequence[np.ndarray | None], corner: float) -> np.ndarray:
    if corner > 0:
        return np.linspace(0.0, 1.0, int(np.ceil(1 / corner)) + 1)
    return np.unique(np.concatenate([rate for rate in axis if rate is not None]))


def _left(rate: np.ndarray | None, starts: np.ndarray) -> np.ndarray | None:
    return None if rate is None else np.searchsorted(rate, starts - TOL, "left")


def _right(rate: np.ndarray | None, ends: np.ndarray) -> np.ndarray | None:
    return None if rate is None else np.searchsorted(rate, ends + TOL, "right") - 1


def _across(at: np.ndarray | None, block: slice, free: int) -> np.ndarray:
    return np.array([[free]]) if at is None else at[block, None]


def _down(at: np.ndarray | None, free: int) -> np.ndarray:
    return np.array([[free]]) if at is None else at[None, :]


def _spread(axis: Sequence[np.ndarray | None], cuts: np.ndarray) -> np.ndarray:
    """Largest minus smallest rate of chosen cuts (A, K) -> (K,), over the groups that have the rate."""
    reached = np.stack([rate[cut] for rate, cut in zip(axis, cuts, strict=True) if rate is not None])
    return np.ptp(reached, axis=0)
