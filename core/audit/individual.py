"""How unequally people fare, not groups alone: each person's benefit, its spread, and how much lies between groups.

Groups can be equal while people are not: an error that falls on one tenth of every group leaves every gap at 0.
A benefit is at least 0 and more is better for the person: prediction - truth + 1 (0 wrongly refused, 1 as is true,
2 wrongly accepted; Speicher et al. 2018), being predicted right, or the probability given to what is true.

Intervals: rows (or persons) are drawn again within their group, as counts over the benefit's values. What compares
groups cannot be below 0 and is above it by chance, so its interval starts at 0 unless fewer than 1 - level of the
worlds in which all groups are made alike (their means moved together) reach it. In simulated tables (2 to 10 groups of
50 to 200 rows, alike or not) 95 % intervals of this kind held the truth in 91 to 100 % of 150 tables a case.
Source of the measures across groups: Rampisela et al. 2025 [30]. N rows, A groups, K values, D draws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.audit import inequality as ineq
from core.inference import effective_n, interval, wilson
from core.types import BadInput, Predictions, Value

BENEFITS = {"benefit": "prediction minus truth plus 1", "correct": "1 where predicted right, else 0",
            "score": "the probability that the model gave to what is true"}
POSSIBLE = {"benefit": (0.0, 1.0, 2.0), "correct": (0.0, 1.0), "score": (0.0, 1.0)}
CELLS = 5_000_000  # drawn numbers at most
MOST_SHARES = 5


@dataclass(frozen=True)
class Compared:
    """A measure between groups, with what chance alone reaches at this level and how often it does (p)."""

    value: Value
    chance: float
    p: float


@dataclass(frozen=True)
class Parts:
    """An inequality and its parts. share: of the total that lies between groups, undefined where the parts multiply
    as (1 - x) instead of adding up."""

    total: Value
    between: Compared
    within: Value
    share: Value


@dataclass(frozen=True)
class GroupSpread:
    """One group (or everyone): rows, whether it is small, its mean benefit and the indices within it by slug."""

    label: str
    n: int
    small: bool
    mean: Value
    indices: Mapping[str, Value]


@dataclass(frozen=True)
class Individual:
    """Inequality among people.

    Args:
        parts: "theil", "entropy", "atkinson". across: measures over the groups' means, empty with fewer than two groups
            that are large enough; `left_out` names the small ones as (label, reason).
        shares: (value, share of people) where a benefit has few values, else empty. notes: sentences.
    """

    kind: str
    everyone: GroupSpread
    groups: tuple[GroupSpread, ...]
    parts: Mapping[str, Parts]
    across: Mapping[str, Compared]
    left_out: tuple[tuple[str, str], ...]
    shares: tuple[tuple[float, float], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Made:
    """What all numbers are made of: sums of the rows (A, 7), of the cells and of the worlds (D, A, 7), effective rows
    (A,), settings, level and how the worlds were drawn."""

    exact: np.ndarray
    cells: np.ndarray
    drawn: np.ndarray
    n: np.ndarray
    eps: float
    alpha: float
    level: float
    how: str


def benefits(rows: Predictions, model: int, kind: str) -> np.ndarray:
    """(N,) benefit of every row, by one of `BENEFITS`. Raises BadInput where it cannot be made."""
    if kind not in BENEFITS:
        raise BadInput("Benefit", repr(kind), "one of " + ", ".join(BENEFITS), "use benefit")
    if rows.y is None:
        raise BadInput("Benefit", "no labels", "the true label of every row", "choose a label column")
    output, two = rows.models[model], len(rows.classes) == 2
    if kind == "score":
        if output.score is None or not output.probability or not two:
            raise BadInput("Benefit", "a model without probabilities of two classes", "probabilities from 0 to 1",
                           "choose another benefit")
        return np.where(rows.y == 1, output.score, 1 - output.score)
    if output.pred is None:
        raise BadInput("Benefit", "scores without a threshold", "predictions", "give a threshold")
    if kind == "correct":
        return (output.pred == rows.y).astype(np.float64)
    if not two:
        raise BadInput("Benefit", f"{len(rows.classes)} classes", "two classes", "use correct")
    return (output.pred - rows.y + 1).astype(np.float64)


def kinds(rows: Predictions, model: int) -> tuple[str, ...]:
    """The benefits that this model has."""
    found = []
    for kind in BENEFITS:
        try:
            benefits(rows, model, kind)
        except BadInput:
            continue
        found.append(kind)
    return tuple(found)


def individual(rows: Predictions, model: int = 0, kind: str = "benefit", *, eps: float = 0.5, alpha: float = 2.0,
               draws: int = 1000, seed: int = 0) -> Individual:
    """Inequality of one model's benefits among people, within groups and between them.

    Args:
        eps: aversion of Atkinson's index. alpha: of the generalised entropy. draws: worlds, fewer with many groups.

    Returns:
        Individual; weights count in every number and persons are drawn whole. Raises BadInput for a benefit that the
        model does not have, and for impossible settings.
    """
    ineq.checked(eps, alpha)
    b, n_groups, code = benefits(rows, model, kind), rows.n_attrs, rows.groups.code
    w = np.ones(rows.n) if rows.w is None else rows.w
    values, place = cells(b, w, n_groups)
    mass = np.bincount(code * len(values) + place, w, n_groups * len(values)).reshape(n_groups, -1)
    worlds = draw_cells(rows, mass, place, draws, np.random.default_rng(seed))
    n_eff = np.append(group_rows(code, w, n_groups), effective_n(w))
    made = _Made(ineq.row_sums(b, w, code, n_groups, eps, alpha), ineq.sums_of(values, mass, eps, alpha),
                 ineq.sums_of(values, worlds, eps, alpha), n_eff[:-1], eps, alpha, rows.spec.level,
                 "bootstrap of persons" if rows.person is not None else "bootstrap")
    where = [np.flatnonzero(code == g) for g in range(n_groups)] + [np.arange(rows.n)]
    point = _everything(made.exact, np.array([float(ineq.gini(b[at], w[at])) for at in where]), eps, alpha)
    noise = _everything(made.drawn, np.concatenate([ineq.gini(values, worlds),
                                                    ineq.gini(values, worlds.sum(1))[:, None]], 1), eps, alpha)
    sizes = np.bincount(code, minlength=n_groups)
    found = []
    for g, label in enumerate([*rows.groups.labels, "everyone"]):
        ends = _ends(b[where[g]], n_eff[g], kind, made, {s: noise[s][:, g] for s in noise})
        told = {slug: _value(point[slug][g], *ends[slug], n_eff[g], _reason(slug, alpha)) for slug in point}
        small = bool(g < n_groups and len(where[g]) < rows.spec.min_n)
        found.append(GroupSpread(label, len(where[g]), small, told.pop("mean"), told))
    few = np.flatnonzero(sizes < rows.spec.min_n).tolist()
    left_out = tuple((rows.groups.labels[g], f"{sizes[g]} rows, fewer than {rows.spec.min_n}") for g in few)
    exact_cells = len(np.unique(b)) == len(values)
    notes = () if exact_cells else (f"Intervals are drawn over {len(values)} bins of nearly equal benefits; the numbers"
                                    " themselves are not binned.",)
    return Individual(kind, found[-1], tuple(found[:-1]), _parts(made),
                      _across(made, np.flatnonzero(sizes >= max(rows.spec.min_n, 1))), left_out, _shares(b, w), notes)


def cells(b: np.ndarray, w: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Values (K,) and the value's place of every row (N,): all values where they are few, else bins of equal numbers
    of rows, each with its weighted mean."""
    values, place = np.unique(b, return_inverse=True)
    most = int(np.clip(8000 // max(n_groups, 1), 50, 400))
    if len(values) <= most:
        return values, place
    edges = np.unique(np.quantile(b, np.linspace(0, 1, most + 1)[1:-1]))
    place = np.searchsorted(edges, b, side="right")
    weight = np.bincount(place, w, len(edges) + 1)
    kept = np.flatnonzero(weight > 0)
    number = np.full(len(weight), -1)
    number[kept] = np.arange(len(kept))
    return (np.bincount(place, w * b, len(weight)) / np.where(weight > 0, weight, 1))[kept], number[place]


def draw_cells(rows: Predictions, mass: np.ndarray, place: np.ndarray, draws: int,
               rng: np.random.Generator) -> np.ndarray:
    """(D, A, K) weights of rows drawn again within their group at its effective rows, or of persons drawn again.

    Args:
        mass: (A, K) weights in each cell. place: (N,) the cell of every row within its group. draws: D at most.
    """
    groups, k = mass.shape
    draws = int(np.clip(CELLS // mass.size, min(draws, 200), draws))
    if rows.person is not None:
        return _draw_persons(rows, place, k, draws, rng)
    total = mass.sum(-1)
    w = np.ones(rows.n) if rows.w is None else rows.w
    size = np.maximum(np.rint(group_rows(rows.groups.code, w, groups)), 1).astype(np.int64)
    drawn = rng.multinomial(size, mass / total[:, None], size=(draws, groups)).astype(np.float64)
    return drawn * (total / size)[:, None]


def group_rows(code: np.ndarray, w: np.ndarray, n_groups: int) -> np.ndarray:
    """(A,) effective rows of each group (Kish)."""
    total, square = np.bincount(code, w, n_groups), np.bincount(code, w * w, n_groups)
    return np.divide(total**2, square, out=np.zeros(n_groups), where=square > 0)


def _draw_persons(rows: Predictions, place: np.ndarray, k: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    from scipy.sparse import csr_array

    person = np.zeros(rows.n, np.int64) if rows.person is None else rows.person
    people = int(person.max()) + 1
    w = np.ones(rows.n) if rows.w is None else rows.w
    table = csr_array((w, (person, rows.groups.code * k + place)), shape=(people, rows.n_attrs * k))
    out, step = [], max(1, CELLS // people)
    for first in range(0, draws, step):
        d = min(step, draws - first)
        picked = rng.integers(0, people, (d, people)) + np.arange(d)[:, None] * people
        out.append(np.bincount(picked.ravel(), minlength=d * people).reshape(d, people).astype(np.float64) @ table)
    return np.concatenate(out).reshape(draws, rows.n_attrs, k)


def _everything(sums: np.ndarray, ginis: np.ndarray, eps: float, alpha: float) -> dict[str, np.ndarray]:
    """slug -> (..., A + 1) mean and indices of the groups and of everyone."""
    both = np.concatenate([sums, sums.sum(-2, keepdims=True)], -2)
    found = ineq.indices(both, eps, alpha)
    return {"mean": ineq.mean_of(both), **{s: ginis if s == "gini" else found[s] for s in ineq.INDICES}}


def _ends(b: np.ndarray, n: float, kind: str, made: _Made,
          worlds: Mapping[str, np.ndarray]) -> dict[str, tuple[float, float, str]]:
    """Interval of each index. Where all rows have one benefit nothing varies in any world: the upper end of the share
    of others that may have been missed (Wilson) then gives the interval."""
    if np.ptp(b) > 1e-12:
        return {s: (*_interval(drawn, made.level), made.how) for s, drawn in worlds.items()}
    share = float(wilson(0, n, made.level)[1])
    others = [o for o in POSSIBLE[kind] if abs(o - b[0]) > 1e-12]
    may = [{"mean": np.float64((1 - share) * b[0] + share * o),
            **ineq.spread(np.array([b[0], o]), np.array([1 - share, share]), made.eps, made.alpha)} for o in others]
    here = {"mean": float(b[0])}
    out = {}
    for slug in worlds:
        reached = [here.get(slug, 0.0), *[float(m[slug]) for m in may]]
        out[slug] = (min(reached) if slug == "mean" else 0.0, float(np.nanmax(reached)),
                     "Wilson's upper end of the share of others")
    return out


def _value(value: float, low: float, high: float, how: str, n: float, reason: str) -> Value:
    if not np.isfinite(value):
        return Value(math.nan, math.nan, math.nan, float(n), reason, "")
    return Value(float(value), float(low), float(high), float(n), None, how)


def _interval(worlds: np.ndarray, level: float) -> tuple[float, float]:
    low, high = interval(worlds, level)
    return float(low), float(high)


def _reason(slug: str, alpha: float) -> str:
    if slug == "entropy" and alpha <= 0:
        return "somebody has a benefit of 0, or the mean benefit is 0"
    return "the mean benefit is 0"


def _compared(value: float, worlds: np.ndarray, null: np.ndarray, made: _Made, reason: str) -> Compared:
    """A number that cannot be below 0, with its interval and what chance alone gives."""
    if not np.isfinite(value):
        return Compared(_value(value, math.nan, math.nan, "", float(made.n.sum()), reason), math.nan, math.nan)
    null = null[np.isfinite(null)]
    if not len(null):
        return Compared(_value(value, math.nan, math.nan, "none: undefined in the worlds drawn", float(made.n.sum()),
                               reason), math.nan, math.nan)
    p = float((1 + (null >= value * (1 - 1e-9)).sum()) / (1 + len(null)))
    low, high = _interval(worlds, made.level)
    low = 0.0 if p >= 1 - made.level else min(max(2 * value - high, 0.0), value)
    return Compared(_value(value, low, max(high, value), made.how, float(made.n.sum()), reason),
                    float(np.quantile(null, made.level)), p)


def _alike(drawn: np.ndarray, cells_: np.ndarray, everyone: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Worlds (D, A) moved so that every group has the same number as everyone; spread as n - 1 rows would."""
    return np.maximum(everyone + (drawn - cells_) * np.sqrt(n / np.maximum(n - 1, 1)), 0.0)


def _parts(made: _Made) -> dict[str, Parts]:
    exact, drawn = (ineq.decomposed(s, made.eps, made.alpha) for s in (made.exact, made.drawn))
    q = made.drawn[..., 0] / made.drawn[..., 0].sum(-1, keepdims=True)
    everyone = made.cells.sum(0)
    means = _alike(ineq.mean_of(made.drawn), ineq.mean_of(made.cells), ineq.mean_of(everyone), made.n)
    equal = _alike(ineq.equal_of(made.drawn, made.eps), ineq.equal_of(made.cells, made.eps),
                   ineq.equal_of(everyone, made.eps), made.n)
    means, equal = (np.where(q > 0, v, 0.0) for v in (means, equal))
    nulls = {"theil": ineq.entropy_between(q, means, 1), "entropy": ineq.entropy_between(q, means, made.alpha),
             "atkinson": ineq.atkinson_between(q, equal, made.eps)}
    out, n = {}, float(made.n.sum())
    for name, null in nulls.items():
        (total, between, within), worlds = (tuple(float(x) for x in exact[name]), drawn[name])
        reason = _reason(name, made.alpha)
        found = _compared(between, worlds[1], null, made, "every group's equal benefit is 0"
                          if name == "atkinson" and np.isfinite(total) else reason)
        ends = [_interval(worlds[k], made.level) for k in (0, 2)]
        out[name] = Parts(_value(total, *ends[0], made.how, n, reason), found,
                          _value(within, *ends[1], made.how, n, reason),
                          _share(name, total, between, worlds, null, made))
    return out


def _share(name: str, total: float, between: float, worlds: tuple[np.ndarray, ...], null: np.ndarray,
           made: _Made) -> Value:
    n = float(made.n.sum())
    if name == "atkinson":
        return _value(math.nan, math.nan, math.nan, "", n, "its parts multiply")
    if not total > 0:
        return _value(math.nan, math.nan, math.nan, "", n, "nothing is unequal")
    with np.errstate(divide="ignore", invalid="ignore"):
        return _compared(between / total, np.minimum(worlds[1] / worlds[0], 1.0), null / worlds[0], made, "").value


def _across(made: _Made, keep: np.ndarray) -> dict[str, Compared]:
    """The measures over the means of the groups in `keep`."""
    if len(keep) < 2:
        return {}
    n = made.n[keep]
    exact, cells_, drawn = (s[..., keep, :] for s in (made.exact, made.cells, made.drawn))
    means = ineq.mean_of(drawn)
    null = _alike(means, ineq.mean_of(cells_), ineq.mean_of(cells_.sum(0)), n)
    point = ineq.across(ineq.mean_of(exact), exact[..., 0], ineq.variance_of(exact), n)
    worlds = ineq.across(means, drawn[..., 0], ineq.variance_of(drawn), n)
    alike = ineq.across(null, drawn[..., 0], ineq.variance_of(drawn), n)
    out = {}
    for slug in ineq.ACROSS:
        value = float(point[slug])
        reason = "nothing varies within groups" if slug == "f" else "the mean benefit is 0"
        if slug == "worst":
            low, high = _interval(worlds[slug], made.level)
            chance = alike[slug][np.isfinite(alike[slug])]
            p = float((1 + (chance <= value * (1 + 1e-9)).sum()) / (1 + len(chance)))
            out[slug] = Compared(_value(value, low, high, made.how, float(n.sum()), reason),
                                 float(np.quantile(chance, 1 - made.level)) if len(chance) else math.nan, p)
            continue
        found = _compared(value, worlds[slug], alike[slug], made, reason)
        if slug == "f" and np.isfinite(value):
            told = Value(value, math.nan, math.nan, float(n.sum()), None, "none: it grows with the rows; see chance")
            found = Compared(told, found.chance, found.p)
        out[slug] = found
    return out


def _shares(b: np.ndarray, w: np.ndarray) -> tuple[tuple[float, float], ...]:
    values, place = np.unique(b, return_inverse=True)
    if len(values) > MOST_SHARES:
        return ()
    share = np.bincount(place, w) / w.sum()
    return tuple(zip(values.tolist(), share.tolist(), strict=True))
