"""Thresholds of conformal sets: halves of the rows, scores of how unlike a class is, and their quantiles by policy.

LAC is 1 - p(class) (Sadinle, Lei & Wasserman 2019); APS the mass of the classes put before it plus a random part of its
own (Romano, Sesia & Candes 2020). With n scores of true classes in the calibration half the threshold is the
ceil((n + 1)(1 - alpha))-th smallest; with weights the weighted quantile in which the new row takes part with its own
weight (Tibshirani, Foygel Barber, Candes & Ramdas 2019). Shapes: N rows, C classes, G groups.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.types import BadInput

POLICIES = ("pooled", "group", "size")
KINDS = ("lac", "aps")
TINY = 1e-9


@dataclass(frozen=True)
class SetRows:
    """Rows of one half: unlike (n, C), y, code, w (n,), unit (n,) or None."""

    unlike: np.ndarray
    y: np.ndarray
    code: np.ndarray
    w: np.ndarray
    unit: np.ndarray | None

    @property
    def true(self) -> np.ndarray:
        """(n,) score of the true class."""
        return self.unlike[np.arange(len(self.y)), self.y]


@dataclass(frozen=True)
class Halves:
    """Scores of unlikeness (n, C) with true class, group, weight and unit (persons or None) of the two halves."""

    calibration: SetRows
    evaluation: SetRows
    labels: tuple[str, ...]
    level: float
    min_n: int


def split_halves(p: np.ndarray, y: np.ndarray, code: np.ndarray, labels: Sequence[str], *, kind: str = "lac",
                 w: np.ndarray | None = None, unit: np.ndarray | None = None, level: float = 0.95, min_n: int = 10,
                 rng: np.random.Generator) -> Halves:
    """Random halves of the rows, or of the persons where `unit` names them.

    Args:
        p: (N, C) probabilities. y: (N,) class codes. code: (N,) group numbers. labels: G words.
    """
    if kind not in KINDS:
        raise BadInput("Kind of score", repr(kind), "one of " + ", ".join(KINDS), "use lac")
    if len(p) < 2:
        raise BadInput("Rows", str(len(p)), "at least 2", "give more rows")
    units = np.arange(len(p)) if unit is None else np.unique(unit, return_inverse=True)[1]
    order = rng.permutation(int(units.max()) + 1)
    first = order[units] < (len(order) + 1) // 2
    if first.all():
        raise BadInput("Persons", "one", "at least 2", "take the person's column out of its role")
    unlike = 1 - p if kind == "lac" else _aps(p, rng.random(len(p)))
    mass = np.ones(len(p)) if w is None else w

    def half(here: np.ndarray) -> SetRows:
        return SetRows(unlike[here], y[here], code[here], mass[here], None if unit is None else units[here])

    return Halves(half(first), half(~first), tuple(labels), level, min_n)


def thresholds(halves: Halves, alpha: float | np.ndarray, policy: str) -> np.ndarray:
    """(n,) the threshold of every row of the evaluation half under one of POLICIES.

    Args:
        alpha: the share of misses; under "group" it may be (G,), one for each group.
    """
    each = np.broadcast_to(np.asarray(alpha, dtype=np.float64), len(halves.labels))
    cal, new = halves.calibration, halves.evaluation
    if policy == "pooled":
        return _quantiles(cal.true, cal.w, float(each[0]), new.w)
    out = np.full(len(new.y), np.inf)
    if policy == "group":
        for g in range(len(halves.labels)):
            here, there = cal.code == g, new.code == g
            out[there] = _quantiles(cal.true[here], cal.w[here], float(each[g]), new.w[there])
        return out
    if policy == "size":
        return _equal_sizes(halves, float(each[0]))
    raise BadInput("Policy", repr(policy), "one of " + ", ".join(POLICIES), "use pooled")


def quantile(score: np.ndarray, alpha: float) -> float:
    """The ceil((n + 1)(1 - alpha))-th smallest of n scores; inf where n is too small for it.

    >>> quantile(np.arange(1.0, 10.0), 0.1), quantile(np.arange(1.0, 10.0), 0.05)
    (9.0, inf)
    """
    return float(_quantiles(np.asarray(score, dtype=np.float64), np.ones(len(score)), alpha, np.ones(1))[0])


def fewest(alpha: float) -> int:
    """Rows that a threshold needs: with fewer every set holds all classes.

    >>> fewest(0.1), fewest(0.05)
    (9, 19)
    """
    return math.ceil(1 / alpha - 1 - TINY)


def _aps(p: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(N, C): the mass of likelier classes, and the random part u (N,) of the class's own."""
    order = np.argsort(-p, axis=1, kind="stable")
    own = np.take_along_axis(p, order, 1)
    ranked = own.cumsum(1) - own * (1 - u[:, None])
    out = np.empty_like(ranked)
    np.put_along_axis(out, order, ranked, 1)
    return out


def _quantiles(score: np.ndarray, w: np.ndarray, alpha: float, new: np.ndarray) -> np.ndarray:
    """(m,) weighted quantiles of scores (n,) in which a new row takes part with its weight (m,), at infinity."""
    order = np.argsort(score, kind="stable")
    mass = np.cumsum(w[order])
    total = mass[-1] if len(mass) else 0.0
    need = (1 - alpha) * (total + new)
    place = np.searchsorted(mass, need - TINY * (total + new), side="left")
    return np.append(score[order], np.inf)[place]


def _equal_sizes(halves: Halves, alpha: float) -> np.ndarray:
    """Thresholds under which every group's mean size is the same and all rows together are covered.

    A class's score is replaced by the size that the group's sets have when they just hold it; over these sizes one
    threshold serves everybody. Sizes are those of the calibration half, so the promise holds about.
    """
    cal, new, classes = halves.calibration, halves.evaluation, halves.calibration.unlike.shape[1]
    ladder = []
    sizes = np.full(len(cal.y), np.inf)
    for g in range(len(halves.labels)):
        here = cal.code == g
        score, w = cal.unlike[here].ravel(), np.repeat(cal.w[here], classes)
        order = np.argsort(score, kind="stable")
        size = np.cumsum(w[order]) / max(cal.w[here].sum(), TINY)
        ladder.append((score[order], size))
        if len(size):
            place = np.searchsorted(score[order], cal.true[here], side="right") - 1
            sizes[here] = size[place]
    common = _quantiles(sizes, cal.w, alpha, new.w)
    out = np.full(len(new.y), np.inf)
    for g, (score, size) in enumerate(ladder):
        there = new.code == g
        place = np.searchsorted(size, common[there] + TINY, side="right") - 1
        known = np.append(score, np.inf)
        out[there] = np.where(np.isinf(common[there]) | (len(score) == 0), np.inf, known[np.maximum(place, 0)])
    return out
