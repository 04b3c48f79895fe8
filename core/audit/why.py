"""Why do two groups differ: each feature as strata, within which like is compared with like.

The raw difference of a rate is split exactly into composition (the groups lie differently over the strata), rate
(people of one stratum fare differently) and what lies outside (strata with people of one group alone). Strata are not
causes: a feature may itself be a consequence of the group, or stand for something that nobody recorded.
Sources: Kitagawa 1955 (the split); Nopo 2008 (the part outside); Zou & Donner 2008 with Newcombe's method (interval
of the standardised difference); Gail & Simon 1985 (signs that differ between strata); Holm 1979; the question of
covariates and sign reversals: Xu, Liu & Ai 2026 (conditional hypothesis generation).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist

import numpy as np

from core.audit.sentences import adjusted
from core.audit.strata import Outcome, Stratifier, cross, largest_gap, outcome_of, outcomes_of, stratify
from core.gaps import difference
from core.inference import wilson
from core.types import BadInput, Predictions, Value

MAX_FEATURES = 100
MAX_CROSSED = 8
CLOSED, LINEAR, PERSONS = "Newcombe over strata", "linearised", "linearised, by person"


@dataclass(frozen=True)
class Stratum:
    """One part: its label, rows and rates of both groups, share of both groups together (by weight, among strata that
    have both), and the difference first - second."""

    label: str
    n_first: int
    n_second: int
    rate_first: float
    rate_second: float
    share: float
    difference: Value


@dataclass(frozen=True)
class Reason:
    """What one feature (or several crossed) has to do with the difference; every difference is first - second.

    Args:
        standardised: mean of the differences within strata, weighted by the strata of both groups together.
        composition, rate, outside: add up to the raw difference. share: composition / raw.
        p, p_holm: that the composition explains nothing, raw and adjusted over all that were tried.
        against: share of people in strata whose difference has the other sign than the raw one.
        turned: "all" or "most" strata have the other sign (Simpson's paradox), else "".
        turn_holm: adjusted p-value that the standardised difference has truly the other sign.
        crossing_holm: adjusted p-value that strata differ in sign among themselves (Gail & Simon).
        common: share of the rows that lie in strata with both groups.
    """

    names: tuple[str, ...]
    strata: tuple[Stratum, ...]
    standardised: Value
    composition: Value
    rate: Value
    outside: Value
    share: Value
    p: float
    against: float
    turned: str
    turn: float
    crossing: float
    common: float
    p_holm: float = math.nan
    turn_holm: float = math.nan
    crossing_holm: float = math.nan


@dataclass(frozen=True)
class Why:
    """Two groups (places among the groups), the outcome, both rates, raw difference first - second, reasons in order
    of what composition explains, features left out as (name, reason), notes in plain sentences."""

    first: int
    second: int
    outcome: Outcome
    rates: tuple[Value, Value]
    raw: Value
    raw_p: float
    reasons: tuple[Reason, ...]
    left_out: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Two:
    """The rows of both groups: x (M,) 0 or 1, side (M,) 0 first or 1 second, w (M,), person (M,) or None."""

    x: np.ndarray
    side: np.ndarray
    w: np.ndarray
    person: np.ndarray | None
    level: float


@dataclass(frozen=True)
class _Cells:
    """Both groups by stratum, (2, S): rows n, mass of weights, effective rows size, rate (NaN where empty)."""

    n: np.ndarray
    mass: np.ndarray
    size: np.ndarray
    rate: np.ndarray


def why(rows: Predictions, model: int = 0, outcome: str = "selection", first: int | None = None,
        second: int | None = None, features: Sequence[str] | None = None, parts: int = 5, crossed: int = 0,
        among: int = 1) -> Why:
    """Every feature as a reason for the difference between two groups.

    Args:
        rows: checked rows; weights are honoured, rows of one person are counted together in every interval.
        outcome: of OUTCOMES. first, second: groups; None takes those with the largest gap of selection (of the outcome
            where there is no selection).
        features: columns; None takes all. parts: of a number. crossed: the pairs among that many features, those
            whose composition explains most, are tried as well (at most 8). among: how many pairs of groups the given
            two were picked from for their gap; known where they are None.

    Returns:
        Why. Raises BadInput where there are no such groups, rows or features.
    """
    what = outcome_of(rows, model, outcome)
    first, second, among = _groups(rows, model, what, first, second, among)
    inside = what.here & np.isin(rows.groups.code, (first, second))
    two = _two(rows, what, inside, first)
    if len(np.unique(two.side)) < 2:
        empty = rows.groups.labels[second if (two.side == 0).any() else first]
        raise BadInput("Groups", f"no row of {what.whom} in {empty}", "rows in both groups", "choose another group")
    rates, raw, raw_p = _raw(two, among)
    strata, left_out, notes = _strata(rows, inside, features, parts)
    reasons = [_reason(two, s, raw, raw_p) for s in strata]
    if crossed:
        best = sorted(range(len(reasons)), key=lambda k: _size(reasons[k]))[: min(crossed, MAX_CROSSED)]
        reasons += [_reason(two, cross(strata[i], strata[j]), raw, raw_p) for i, j in combinations(sorted(best), 2)]
    holm = [adjusted([getattr(r, name) for r in reasons]) for name in ("p", "turn", "crossing")]
    reasons = [replace(r, p_holm=a, turn_holm=b, crossing_holm=c) for r, a, b, c in zip(reasons, *holm, strict=True)]
    if among > 1:
        notes.append(f"The two groups were picked from {among:,} pairs for their gap; the p-value of the raw "
                     "difference is multiplied by that number.")
    return Why(first, second, what, rates, raw, raw_p, tuple(sorted(reasons, key=_size)), tuple(left_out), tuple(notes))


def _size(reason: Reason) -> float:
    """Sorts what explains most to the front, what is undefined to the end."""
    value = reason.composition.value
    return -abs(value) if math.isfinite(value) else 1.0


def _groups(rows: Predictions, model: int, what: Outcome, first: int | None, second: int | None,
            among: int) -> tuple[int, int, int]:
    if rows.n_attrs < 2:
        raise BadInput("Groups", "one group", "two groups", "choose an attribute")
    if first is None and second is None:
        chosen = outcome_of(rows, model, "selection") if "selection" in outcomes_of(rows, model) else what
        return largest_gap(rows, chosen)
    if first is None or second is None or first == second or not (0 <= first < rows.n_attrs > second >= 0):
        raise BadInput("Groups", f"{first} and {second}", f"two different numbers from 0 to {rows.n_attrs - 1}",
                       "choose two groups")
    return first, second, max(among, 1)


def _two(rows: Predictions, what: Outcome, inside: np.ndarray, first: int) -> _Two:
    w = np.ones(int(inside.sum())) if rows.w is None else rows.w[inside]
    person = None if rows.person is None else np.unique(rows.person[inside], return_inverse=True)[1]
    return _Two(what.value[inside], (rows.groups.code[inside] != first).astype(np.int64), w, person, rows.spec.level)


def _strata(rows: Predictions, inside: np.ndarray, features: Sequence[str] | None,
            parts: int) -> tuple[list[Stratifier], list[tuple[str, str]], list[str]]:
    known, notes = [str(c) for c in rows.features.columns], []
    names = list(known if features is None else features)
    unknown = [n for n in names if n not in known]
    if unknown or not names:
        raise BadInput("Features", ", ".join(map(repr, unknown)) or "none",
                       ", ".join(known[:12]) or "none in the table", "choose others")
    if len(names) > MAX_FEATURES:
        notes.append(f"Of {len(names):,} features the first {MAX_FEATURES} are looked at.")
    strata, left_out = [], []
    for name in names[:MAX_FEATURES]:
        try:
            strata.append(stratify(name, rows.features[name][inside], parts))
        except BadInput as error:
            if error.field == "Parts":
                raise
            left_out.append((name, error.found))
    return strata, left_out, notes


def _cells(two: _Two, code: np.ndarray, n_strata: int) -> _Cells:
    flat = two.side * n_strata + code

    def total(v: np.ndarray | None) -> np.ndarray:
        return np.bincount(flat, v, 2 * n_strata).reshape(2, n_strata).astype(np.float64)

    n, mass, square, hits = total(None), total(two.w), total(two.w**2), total(two.w * two.x)
    known = n > 0
    size = np.divide(mass**2, square, out=np.zeros_like(mass), where=known)
    rate = np.divide(hits, mass, out=np.full_like(mass, np.nan), where=known)
    return _Cells(n, mass, size if two.person is None else _by_person(two, flat, size, mass, rate), rate)


def _by_person(two: _Two, flat: np.ndarray, size: np.ndarray, mass: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """(2, S) effective rows when the rows of a person move together: p(1 - p) / variance by person, never more than
    the rows and, where everybody has the same outcome, the persons."""
    person = np.asarray(two.person)
    pairs, place = np.unique(flat * (int(person.max()) + 1) + person, return_inverse=True)
    cell = pairs // (int(person.max()) + 1)
    p, m = rate.ravel(), mass.ravel()
    moved = np.bincount(place, two.w * (two.x - p[flat]))
    variance = np.bincount(cell, moved**2, len(p)) / np.where(m > 0, m, 1) ** 2
    persons = np.bincount(cell, minlength=len(p)).astype(np.float64)
    found = np.divide(p * (1 - p), variance, out=persons, where=variance > 1e-15)
    return np.minimum(found.reshape(rate.shape), size)


def _raw(two: _Two, among: int) -> tuple[tuple[Value, Value], Value, float]:
    all_in = _cells(two, np.zeros(len(two.x), np.int64), 1)
    rate, size = all_in.rate[:, 0], all_in.size[:, 0]
    low, high = wilson(rate * size, size, two.level)
    rates = tuple(Value(float(rate[g]), float(low[g]), float(high[g]), float(size[g]), None, "Wilson") for g in (0, 1))
    ends = difference(rate[0], size[0], rate[1], size[1], two.level)
    raw = Value(float(rate[0] - rate[1]), float(ends[0]), float(ends[1]), float(size.sum()), None, "Newcombe")
    pooled = float((rate * size).sum() / size.sum())
    spread = math.sqrt(pooled * (1 - pooled) * float((1 / size).sum()))
    return (rates[0], rates[1]), raw, min(1.0, _two_sided(raw.value, spread) * among)


def _reason(two: _Two, by: Stratifier, raw: Value, raw_p: float) -> Reason:
    cells = _cells(two, by.code, len(by.labels))
    both = np.asarray((cells.n > 0).all(0))
    common = float(two.w[both[by.code]].sum() / two.w.sum())
    gap = cells.rate[0] - cells.rate[1]
    if not both.any():
        none = Value(math.nan, math.nan, math.nan, 0.0, "no part has people of both groups", "")
        outside = replace(raw, how=LINEAR)
        return Reason(by.names, _parts(by, cells, both, two.level), none, none, none, outside, none, math.nan, math.nan,
                      "", math.nan, math.nan, 0.0)
    weight = cells.mass[:, both].sum(0) / cells.mass[:, both].sum()
    standardised, p_standard = _standardised(cells, both, weight, two)
    composition, rate, outside, share, p = _split(two, by, cells, both, raw)
    against = float(weight[np.sign(gap[both]) == -np.sign(raw.value)].sum()) if raw.value else 0.0
    turned = "" if against <= 0.5 or both.sum() < 2 else "all" if against > 1 - 1e-12 else "most"
    opposite = raw.value * standardised.value < 0
    return Reason(by.names, _parts(by, cells, both, two.level), standardised, composition, rate, outside, share, p,
                  against, turned, max(raw_p, p_standard) if opposite else 1.0,
                  gail_simon(gap[both], np.sqrt(_variance(cells)[:, both].sum(0))), common)


def _parts(by: Stratifier, cells: _Cells, both: np.ndarray, level: float) -> tuple[Stratum, ...]:
    low, high = difference(cells.rate[0], cells.size[0], cells.rate[1], cells.size[1], level)
    weight = np.where(both, cells.mass.sum(0), 0.0)
    weight = weight / max(weight.sum(), 1e-300)
    out = []
    for s in np.flatnonzero(cells.n.sum(0) > 0):
        n = float(cells.size[:, s].sum())
        value = Value(float(cells.rate[0, s] - cells.rate[1, s]), float(low[s]), float(high[s]), n, None, "Newcombe")
        if not both[s]:
            value = Value(math.nan, math.nan, math.nan, n, "people of one group alone", "")
        out.append(Stratum(by.labels[s], int(cells.n[0, s]), int(cells.n[1, s]), float(cells.rate[0, s]),
                           float(cells.rate[1, s]), float(weight[s]), value))
    return tuple(out)


def _variance(cells: _Cells) -> np.ndarray:
    """(2, S) variance of the rates with one success and one failure added, so that a rate of 0 or 1 is not sure."""
    size = np.where(cells.size > 0, cells.size, np.nan)
    smooth = (cells.rate * size + 1) / (size + 2)
    return smooth * (1 - smooth) / size


def _standardised(cells: _Cells, both: np.ndarray, weight: np.ndarray, two: _Two) -> tuple[Value, float]:
    """The weighted mean of the differences, the weights taken as known: Newcombe's interval carried over strata by
    the method of variance estimates recovery; with persons the normal interval. Source: Zou & Donner 2008."""
    rate, size = cells.rate[:, both], cells.size[:, both]
    gap = float((weight * (rate[0] - rate[1])).sum())
    low, high = wilson(rate * size, size, two.level)
    down = math.sqrt(float((weight**2 * ((rate[0] - low[0]) ** 2 + (high[1] - rate[1]) ** 2)).sum()))
    up = math.sqrt(float((weight**2 * ((high[0] - rate[0]) ** 2 + (rate[1] - low[1]) ** 2)).sum()))
    spread = math.sqrt(float((weight**2 * _variance(cells)[:, both].sum(0)).sum()))
    return Value(gap, gap - down, gap + up, float(size.sum()), None, CLOSED), _two_sided(gap, spread)


def _split(two: _Two, by: Stratifier, cells: _Cells, both: np.ndarray,
           raw: Value) -> tuple[Value, Value, Value, Value, float]:
    """Composition, rate, outside, share, and the p-value of the composition. Source: Kitagawa 1955, Nopo 2008."""
    mass = np.where(both, cells.mass, 0.0)
    total = mass.sum(1, keepdims=True)
    pi, rate = mass / total, np.where(both, cells.rate, 0.0)
    q, r, apart, middle = rate.mean(0), rate[0] - rate[1], pi[0] - pi[1], pi.mean(0)
    safe = np.where(pi > 0, pi, 1.0)
    sign = np.array([[1.0], [-1.0]])
    in_common = both[by.code]
    scale = np.where(in_common, two.w / total[two.side, 0], 0.0)

    def moved(level_of: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """(M,) influence of every row: how far the stratum it lies in, and its outcome, move the number."""
        at = (two.side, by.code)
        centred = level_of - (pi * level_of).sum(1, keepdims=True)
        return scale * (centred[at] + slope[at] * (two.x - rate[at]))

    by_composition = moved(sign * q, apart / 2 / safe)
    by_rate = moved(np.stack([r, r]) / 2, sign * middle / safe)
    mean = (cells.mass * np.nan_to_num(cells.rate)).sum(1) / cells.mass.sum(1)
    by_raw = two.w / cells.mass.sum(1)[two.side] * sign[two.side, 0] * (two.x - mean[two.side])
    values = float((apart * q).sum()), float((middle * r).sum())
    found = [_value(v, i, two) for v, i in zip(values, (by_composition, by_rate), strict=True)]
    left = raw.value - values[0] - values[1] if not both.all() else 0.0
    outside = _value(left, by_raw - by_composition - by_rate if not in_common.all() else np.zeros(len(two.x)), two)
    if raw.low <= 0 <= raw.high:
        share = Value(math.nan, math.nan, math.nan, raw.n, "the raw difference may be zero", "")
    else:
        part = values[0] / raw.value
        share = _value(part, (by_composition - part * by_raw) / raw.value, two)
    return found[0], found[1], outside, share, _two_sided(values[0], _spread(by_composition, two))


def _spread(moved: np.ndarray, two: _Two) -> float:
    """Standard error from influences, rows of a person together."""
    each = moved if two.person is None else np.bincount(two.person, moved)
    return math.sqrt(float((each**2).sum()) * len(each) / max(len(each) - 1, 1))


def _value(value: float, moved: np.ndarray, two: _Two) -> Value:
    half = NormalDist().inv_cdf((1 + two.level) / 2) * _spread(moved, two)
    return Value(value, value - half, value + half, float(len(two.x)), None, LINEAR if two.person is None else PERSONS)


def _two_sided(value: float, spread: float) -> float:
    if spread <= 0 or not math.isfinite(spread):
        return 1.0 if value == 0 or not math.isfinite(spread) else 0.0
    return math.erfc(abs(value) / spread / math.sqrt(2))


def gail_simon(gap: np.ndarray, spread: np.ndarray) -> float:
    """P-value that the differences of strata (S,) have all one sign, given their standard errors; 1 where they do.

    The smaller of the sums of squared z-scores of either sign, against its distribution where all but one difference
    are zero: sum over h of Binomial(h; S - 1, 1/2) P(chi2_h > q). Source: Gail & Simon 1985.

    >>> round(gail_simon(np.array([2.0, -2.0]), np.array([1.0, 1.0])), 4)
    0.0228
    """
    from scipy.stats import binom, chi2

    z2 = np.where(spread > 0, gap / np.where(spread > 0, spread, 1.0), 0.0) ** 2
    q = float(min(z2[gap > 0].sum(), z2[gap < 0].sum()))
    if len(gap) < 2 or q <= 0:
        return 1.0
    h = np.arange(1, len(gap))
    return float((binom.pmf(h, len(gap) - 1, 0.5) * chi2.sf(q, h)).sum())
