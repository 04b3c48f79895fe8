"""What goes with an outcome within groups: words and values whose part holds, fades or turns around within strata.

Three ways to pick among many candidates: globally (blind to strata), with interactions (signs that turn around), and
within strata that all count the same (parts that a large stratum drowns). What was picked is then shown stratum by
stratum with intervals. Source: Xu, Liu & Ai 2026 (conditional hypothesis generation). Departures: the naming of a
hypothesis by a language model is left to the reader, who sees example rows; the penalty is where k candidates enter.
Shapes: N rows, D candidates, S strata.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.audit.sentences import adjusted
from core.audit.why import gail_simon
from core.gaps import difference
from core.types import BadInput, Value

WAYS = ("globally", "with interactions", "within strata")
STEPS = 12


@dataclass(frozen=True)
class Finding:
    """One candidate: its place, picked (ways of WAYS that picked it), share of rows that have it, overall (rate of the
    outcome with it less without it), within (mean of that over strata, each counting the same), by_stratum, whether
    signs differ between strata, and both p-values adjusted over all candidates."""

    place: int
    picked: tuple[str, ...]
    share: float
    overall: Value
    within: Value
    by_stratum: tuple[Value, ...]
    turns: bool
    turn_holm: float
    within_holm: float


def pick(x: np.ndarray, y: np.ndarray, code: np.ndarray, k: int = 10, way: str = "within strata",
         w: np.ndarray | None = None) -> np.ndarray:
    """Places of the k candidates that one way ranks first (fewer where fewer have any part).

    Args:
        x: (N, D) 0 or 1. y: (N,) 0 or 1. code: (N,) strata 0..S-1. way: of WAYS. w: (N,) row weights or None.
    """
    if way not in WAYS:
        raise BadInput("Way", repr(way), ", ".join(WAYS), "use within strata")
    if len(np.unique(y)) < 2:
        raise BadInput("Outcome", "one value", "rows with and without it", "choose another outcome")
    strength = slopes(x, y, code, k, way, w)
    size = np.abs(strength).max(0)
    order = np.argsort(-size, kind="stable")[:k]
    return order[size[order] > 0]


def slopes(x: np.ndarray, y: np.ndarray, code: np.ndarray, k: int, way: str,
           w: np.ndarray | None = None) -> np.ndarray:
    """(S, D) standardised slopes of every stratum (all rows the same but for interactions), from the smallest L1
    penalty path step at which k candidates have one."""
    weight = np.ones(len(y)) if w is None else w / w.mean()
    strata = int(code.max()) + 1
    if way == "within strata":
        return np.broadcast_to(_within(x, y, code, k, weight), (strata, x.shape[1]))
    mean = np.average(x, 0, weight)
    z = (x - mean) / np.maximum(np.sqrt(mean * (1 - mean)), 1e-9)
    if way == "globally":
        beta = _path(lambda c: _logistic(z, y, weight, c), k, z, y, weight)
        return np.broadcast_to(beta, (strata, x.shape[1]))
    hot = np.eye(strata)[code]
    design = np.concatenate([z, *[z * hot[:, [s]] for s in range(strata)], hot], 1)

    def total(c: float) -> np.ndarray:
        beta = _logistic(design, y, weight, c)[:-strata].reshape(strata + 1, -1)
        return beta[0] + beta[1:]

    return _path(total, k, design, y, weight)


def _path(fit: Callable[[float], np.ndarray], k: int, z: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The fit with about the strongest penalty at which k candidates have a slope, found by halving on a log scale; of
    those tried the one with most slopes where none has k."""
    centred = weight * (y - np.average(y, weights=weight))
    low = math.log(1 / max(float(np.abs(centred @ z).max()), 1e-9))  # below it all slopes are zero
    high = low + math.log(1000)
    best, most = fit(math.exp(high)), -1
    for _ in range(STEPS):
        middle = (low + high) / 2
        found = fit(math.exp(middle))
        n = int((np.abs(found).reshape(-1, found.shape[-1]).max(0) > 0).sum())
        if n >= k:
            high, best, most = middle, found, k
            if n == k:
                break
        else:
            low, best, most = (middle, found, n) if n > most else (middle, best, most)
    return best


def _logistic(z: np.ndarray, y: np.ndarray, weight: np.ndarray, c: float) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=c, l1_ratio=1.0, solver="liblinear", intercept_scaling=10.0, max_iter=200, tol=1e-3,
                               random_state=0)
    return model.fit(z, y, sample_weight=weight).coef_[0]


def _within(x: np.ndarray, y: np.ndarray, code: np.ndarray, k: int, weight: np.ndarray) -> np.ndarray:
    """(D,) lasso slopes of what is left when every stratum's means are taken off, strata weighing the same."""
    from sklearn.linear_model import lasso_path

    mass = np.bincount(code, weight)
    strata = len(mass)
    share = np.sqrt(weight / mass[code] * len(y) / strata)
    hot = np.eye(strata)[code] * weight[:, None] / mass[code][:, None]
    left_y, left_x = y - (hot.T @ y)[code], x - (hot.T @ x)[code]
    spread = np.sqrt((share[:, None] ** 2 * left_x**2).mean(0))
    z = np.where(spread > 1e-9, left_x / np.maximum(spread, 1e-9), 0.0) * share[:, None]
    target = left_y * share
    strongest = max(float(np.abs(target @ z).max()) / len(y), 1e-12)
    _, path, _ = lasso_path(z, target, alphas=strongest * np.geomspace(1, 1e-3, 60))
    enough = np.flatnonzero((path != 0).sum(0) >= k)
    return path[:, enough[0] if len(enough) else -1]


def findings(x: np.ndarray, y: np.ndarray, code: np.ndarray, k: int = 10, w: np.ndarray | None = None,
             level: float = 0.95, ways: Sequence[str] = WAYS, among: int = 0) -> list[Finding]:
    """All candidates that any way picked, those first that more ways picked, with their numbers by stratum.

    p-values are adjusted over all D candidates, picked or not, so that picking by the same rows does no harm to them;
    over `among` where D were chosen among more by these rows. Intervals are those of one candidate looked at alone.
    """
    chosen = {way: pick(x, y, code, k, way, w).tolist() for way in ways}
    rate, size = _rates(x, y, code, w)
    gap = rate[1] - rate[0]
    smooth = (rate * size + 1) / (size + 2)
    spread = np.sqrt((smooth * (1 - smooth) / np.maximum(size, 1e-9)).sum(0))
    known = np.asarray((size > 0).all(0))
    strata = known.sum(0)
    within = np.where(known, gap, 0.0).sum(0) / np.maximum(strata, 1)
    error = np.sqrt(np.where(known, spread**2, 0.0).sum(0)) / np.maximum(strata, 1)
    z = np.divide(np.abs(within), error, out=np.zeros_like(within), where=error > 0)
    p = [math.erfc(v / math.sqrt(2)) if n else math.nan for v, n in zip(z, strata, strict=True)]
    crossing = [gail_simon(gap[known[:, d], d], spread[known[:, d], d]) for d in range(x.shape[1])]
    others = [1.0] * max(among - x.shape[1], 0)
    p_within, p_turn = adjusted(p + others), adjusted(crossing + others)
    places = sorted({d for found in chosen.values() for d in found},
                    key=lambda d: (-sum(d in found for found in chosen.values()), p_within[d], p_turn[d]))
    all_rate, all_size = _rates(x, y, np.zeros(len(y), np.int64), w)
    out = []
    for d in places:
        each = tuple(_value(rate[:, s, d], size[:, s, d], level) for s in range(gap.shape[0]))
        half, centre = _quantile(level) * float(error[d]), float(within[d])
        middle = Value(math.nan, math.nan, math.nan, 0.0, "no stratum has rows with and without it", "")
        if strata[d]:
            middle = Value(centre, centre - half, centre + half, float(size[:, :, d].sum()), None, "normal")
        signs = np.sign(gap[known[:, d], d])
        out.append(Finding(d, tuple(way for way in ways if d in chosen[way]), float(np.average(x[:, d], weights=w)),
                           _value(all_rate[:, 0, d], all_size[:, 0, d], level), middle, each,
                           bool((signs > 0).any() and (signs < 0).any()), p_turn[d], p_within[d]))
    return out


def _rates(x: np.ndarray, y: np.ndarray, code: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(2, S, D) rate of the outcome without and with each candidate in every stratum, and effective rows."""
    weight = np.ones(len(y)) if w is None else w
    hot = np.eye(int(code.max()) + 1)[code]
    with_it = np.stack([(hot * v[:, None]).T @ x for v in (weight, weight * y, weight**2)])
    every = np.stack([(hot * v[:, None]).sum(0) for v in (weight, weight * y, weight**2)])
    mass, hits, square = (np.stack([every[i][:, None] - with_it[i], with_it[i]]) for i in range(3))
    there = mass > 1e-9
    rate = np.divide(hits, mass, out=np.full_like(mass, np.nan), where=there)
    return np.clip(rate, 0, 1), np.divide(mass**2, square, out=np.zeros_like(mass), where=there)


def _value(rate: np.ndarray, size: np.ndarray, level: float) -> Value:
    if (size <= 0).any():
        return Value(math.nan, math.nan, math.nan, float(size.sum()), "no rows with it" if size[1] <= 0 else
                     "no rows without it", "")
    low, high = difference(rate[1], size[1], rate[0], size[0], level)
    return Value(float(rate[1] - rate[0]), float(low), float(high), float(size.sum()), None, "Newcombe")


def _quantile(level: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)
