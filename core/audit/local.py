"""Parity in every region: the gap between groups among people who are alike in chosen features.

A rate can be equal between groups overall and far apart within every region of the features: women fare worse in one
job and better in another. Regions are the cells of one or two features, or the leaves of a shallow tree that was
grown on one random half of the rows to seek gaps and is measured on the other half (honest, Athey & Imbens 2016).
Source: Grari et al. 2024 [50] (local parity; their measure is the demographic-parity gap in cells of age and sex with
at least 50 rows, and the mean over the worst one and three). Intervals of regions hold for all regions at once
(Bonferroni). The mean of local gaps is above 0 by chance alone: what chance makes is told beside it, and its lower end
takes off what noise adds at most: the range of rates with noise is at most the range without it plus that of the noise.
N rows, R regions, A groups, D draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.audit.itemsets import halves
from core.audit.regions import Regions, cells_of, leaves_of
from core.audit.sentences import adjusted, clip
from core.audit.strata import Outcome, outcome_of, outcomes_of
from core.gaps import gap_interval
from core.inference import wilson
from core.types import BadInput, Predictions, Value

OUTCOMES = ("selection", "tpr", "fpr", "error")
DRAWS = 600


@dataclass(frozen=True)
class Region:
    """People alike: label, rows, share of the (weighted) rows, the rate of every group that counts, the gap between
    the groups with the lowest and the highest, and the p-value that they are equal, adjusted by Holm over regions."""

    label: str
    n: int
    share: float
    rates: Mapping[str, Value]
    gap: Value
    groups: tuple[str, ...]
    p: float
    p_holm: float


@dataclass(frozen=True)
class Local:
    """Gaps overall and within regions.

    regions: the surest first (the largest lower end). mean: of the gaps, weighted by the regions' rows; chance: what
    it would be without any gap within regions, and p how often it would be as large. worst, worst_three: the largest
    gap and the mean of the three largest. left_out: (region, reason); covered: share of the rows in regions that count.
    """

    outcome: Outcome
    by: str
    overall: Region
    regions: tuple[Region, ...]
    mean: Value
    chance: float
    p: float
    worst: Value
    worst_three: Value
    left_out: tuple[tuple[str, str], ...]
    covered: float
    n: int
    level: float


@dataclass(frozen=True)
class _Cells:
    """(R, A) rows, weight, effective rows and rates (NaN without rows)."""

    n: np.ndarray
    mass: np.ndarray
    size: np.ndarray
    rate: np.ndarray


def local_outcomes(rows: Predictions, model: int = 0) -> tuple[str, ...]:
    """Which of OUTCOMES these rows can answer."""
    there = outcomes_of(rows, model)
    return tuple(name for name in OUTCOMES if name in there)


def local_gaps(rows: Predictions, model: int = 0, outcome: str = "selection", features: Sequence[str] = (), *,
               parts: int = 4, least: int = 50, seed: int = 0) -> Local:
    """Gaps in every cell of one or two features.

    Args:
        rows, model: what is audited. outcome: one of OUTCOMES. features: one or two columns of rows.features; parts:
        into which numbers and dates are cut. least: rows of the outcome a region needs; a group in it needs min_n.
        seed: of the draws.

    Returns:
        Local. Raises BadInput for other features, one group alone, or no region with two groups.
    """
    regions = cells_of(rows, features, parts)
    return _measured(rows, _chosen(rows, model, outcome), regions, np.ones(rows.n, bool), least, seed)


def local_tree(rows: Predictions, model: int = 0, outcome: str = "selection", *, leaves: int = 8, least: int = 50,
               seed: int = 0) -> Local:
    """Gaps in the leaves of a tree that seeks gaps in one half of the rows (persons whole), measured on the other.

    Args:
        as `local_gaps`; leaves: at most so many regions; seed: of the halves and the draws.
    """
    if not 2 <= leaves <= 64:
        raise BadInput("Leaves", f"{leaves}", "2 to 64", "use 8")
    found = _chosen(rows, model, outcome)
    grow, measure = halves(rows, np.random.default_rng(seed))
    regions = leaves_of(rows, found, grow, leaves, max(least, 2 * rows.spec.min_n))
    return _measured(rows, found, regions, measure, least, seed)


def said(found: Local) -> list[str]:
    """Overall and within regions in plain sentences."""
    points = _points
    overall, whom = found.overall, "" if found.outcome.whom == "everyone" else f" of {found.outcome.whom}"
    lines = [f"Overall, {_pair(overall)} of 100{whom} are {found.outcome.counted}: a gap of {points(overall.gap)}."]
    if not found.regions:
        return [*lines, "No region has two groups with enough rows."]
    mean = (f"Within {len(found.regions)} regions ({found.by}), which hold {100 * found.covered:.0f} % of the rows, "
            f"the mean gap is {points(found.mean)}; chance alone would make {100 * found.chance:.1f}.")
    sure = [r for r in found.regions if r.p_holm < 1 - found.level]
    if not sure:
        return [*lines, mean, "In no region is the gap larger than chance explains."]
    first = sure[0]
    return [*lines, mean, f"{len(sure)} of {len(found.regions)} regions have a gap larger than chance explains; the "
            f"surest is “{clip(first.label, 140)}”, where {_pair(first)} of 100{whom} are {found.outcome.counted}: a "
            f"gap of {points(first.gap)}."]


def _pair(region: Region) -> str:
    return " and ".join(f"{100 * region.rates[g].value:.0f} ({clip(g)})" for g in region.groups)


def _points(value: Value) -> str:
    return f"{100 * value.value:.1f} points ({100 * value.low:.1f} to {100 * value.high:.1f})"


def _chosen(rows: Predictions, model: int, outcome: str) -> Outcome:
    if outcome not in OUTCOMES:
        raise BadInput("Rate", repr(outcome), ", ".join(OUTCOMES), "choose another")
    if rows.n_attrs < 2:
        raise BadInput("Groups", "one group", "two groups", "choose an attribute")
    return outcome_of(rows, model, outcome)


def _measured(rows: Predictions, outcome: Outcome, regions: Regions, side: np.ndarray, least: int, seed: int) -> Local:
    if least < 1:
        raise BadInput("Least rows", f"{least}", "at least 1", "use 50")
    here, level = outcome.here & side, rows.spec.level
    code, count = regions.code[here], len(regions.labels)
    cells, everyone = (_cells(rows, outcome, here, at, r) for at, r in ((code, count), (np.zeros_like(code), 1)))
    usable = cells.n >= max(rows.spec.min_n, 1)
    counts = (cells.n.sum(1) >= least) & (usable.sum(1) >= 2)
    left_out = tuple((regions.labels[r], _reason(cells, usable, r, least, rows.spec.min_n)) for r in
                     np.flatnonzero(~counts & (cells.n.sum(1) > 0)).tolist())
    whole = everyone.n >= max(rows.spec.min_n, 1)
    if whole.sum() < 2:
        raise BadInput("Groups", f"{int(whole.sum())} with at least {rows.spec.min_n} rows of {outcome.whom}",
                       "two groups", "choose another attribute or a lower limit of rows")
    total = float(cells.mass.sum())
    overall = _region("everyone", everyone, 0, whole[0], total, rows, level)
    kept = np.flatnonzero(counts)
    shared = 1 - (1 - level) / max(len(kept), 1)
    found = [_region(regions.labels[r], cells, r, usable[r], total, rows, shared) for r in kept.tolist()]
    holm = adjusted([region.p for region in found])
    found = [replace(region, p_holm=p) for region, p in zip(found, holm, strict=True)]
    mean, chance, p = _mean(cells, usable, kept, level, np.random.default_rng(seed))
    order = sorted(range(len(found)), key=lambda k: (-found[k].gap.low, -found[k].gap.value))
    return Local(outcome, regions.by, overall, tuple(found[k] for k in order), mean, chance, p, _worst(found, 1),
                 _worst(found, 3), left_out, float(cells.mass[kept].sum() / total), int(here.sum()), level)


def _cells(rows: Predictions, outcome: Outcome, here: np.ndarray, region: np.ndarray, count: int) -> _Cells:
    """Rows `here` (N,) by region (n,) and group; rows of a person move together: p(1 - p) / variance by person, never
    more than the rows and, where everybody has the same outcome, the persons."""
    a, x = rows.n_attrs, outcome.value[here]
    flat, w = region * a + rows.groups.code[here], np.ones(int(here.sum())) if rows.w is None else rows.w[here]
    n, mass, square, hits = (np.bincount(flat, v, count * a) for v in (None, w, w * w, w * x))
    known = mass > 0
    size = np.divide(mass**2, square, out=np.zeros_like(mass), where=known)
    rate = np.divide(hits, mass, out=np.full_like(mass, np.nan), where=known)
    if rows.person is not None:
        person = rows.person[here]
        many = int(rows.person.max()) + 1
        pairs, place = np.unique(flat * many + person, return_inverse=True)
        moved = np.bincount(place, w * (x - rate[flat]))
        variance = np.bincount(pairs // many, moved**2, count * a) / np.where(known, mass, 1) ** 2
        persons = np.bincount(pairs // many, minlength=count * a).astype(np.float64)
        size = np.minimum(size, np.divide(rate * (1 - rate), variance, out=persons, where=variance > 1e-15))
    return _Cells(*(v.reshape(count, a) for v in (n.astype(np.int64), mass, size, rate)))


def _reason(cells: _Cells, usable: np.ndarray, r: int, least: int, min_n: int) -> str:
    n = int(cells.n[r].sum())
    if n < least:
        return f"{n:,} rows, fewer than {least}"
    groups = int(usable[r].sum())
    return f"{groups or 'no'} group{'s' * (groups != 1)} with at least {min_n} rows"


def _region(label: str, cells: _Cells, r: int, usable: np.ndarray, total: float, rows: Predictions,
            level: float) -> Region:
    g = np.flatnonzero(usable)
    rate, size = cells.rate[r, g], cells.size[r, g]
    low, high = wilson(rate * size, size, level)
    rates = {rows.groups.labels[k]: Value(float(v), float(a), float(b), float(n), None, "Wilson")
             for k, v, a, b, n in zip(g, rate, low, high, size, strict=True)}
    bottom, top = gap_interval(rate, size, level)
    gap = Value(float(rate.max() - rate.min()), float(bottom), float(top), float(size.sum()), None,
                "pairs of groups (Newcombe, Wilson)")
    extremes = (int(rate.argmin()), int(rate.argmax()) if rate.max() > rate.min() else int(rate.argmin() == 0))
    return Region(label, int(cells.n[r].sum()), float(cells.mass[r].sum() / total), rates, gap,
                  tuple(rows.groups.labels[g[k]] for k in extremes), _unequal(rate, size), np.nan)


def _unequal(rate: np.ndarray, size: np.ndarray) -> float:
    """P-value that rates (G,) of so many effective rows are equal: likelihood ratio, chi-squared with G - 1 degrees."""
    from scipy.special import xlogy
    from scipy.stats import chi2

    pooled = float((rate * size).sum() / size.sum())
    fit = float((size * (xlogy(rate, rate) + xlogy(1 - rate, 1 - rate))).sum())
    null = float(size.sum() * (xlogy(pooled, pooled) + xlogy(1 - pooled, 1 - pooled)))
    return float(chi2.sf(max(2 * (fit - null), 0.0), len(rate) - 1))


def _worst(found: Sequence[Region], k: int) -> Value:
    """The mean of the k largest gaps; its ends are those of the ends, which hold for all regions at once."""
    if len(found) < k:
        return Value(np.nan, np.nan, np.nan, 0.0, f"{len(found)} regions with two groups", "")
    table = np.sort([[r.gap.value, r.gap.low, r.gap.high] for r in found], axis=0)[-k:].mean(0)
    n = sum(r.gap.n for r in found)
    return Value(float(table[0]), float(table[1]), float(table[2]), n, None, "ends of all regions at once (Bonferroni)")


def _mean(cells: _Cells, usable: np.ndarray, kept: np.ndarray, level: float,
          rng: np.random.Generator) -> tuple[Value, float, float]:
    """The mean of the gaps weighted by the regions' rows, what chance alone makes of it, and its p-value.

    Lower end: the mean less what noise adds at most, in all but (1 - level) / 2 of the draws; it holds whatever the
    true gaps are, since ranges are subadditive. Upper end: the regions' own upper ends put together (Zou & Donner
    2008), cautious since noise widens gaps.
    """
    if not len(kept):
        return Value(np.nan, np.nan, np.nan, 0.0, "no region with two groups", ""), np.nan, np.nan
    inside = usable[kept]
    size, rate = np.where(inside, cells.size[kept], 0.0), np.where(inside, cells.rate[kept], 0.0)
    weight = cells.mass[kept].sum(1) / cells.mass[kept].sum()
    middle = (rate * size).sum(1, keepdims=True) / size.sum(1, keepdims=True)
    gap = _spans(rate, inside)
    seen = float(weight @ gap)

    whole = np.maximum(np.rint(size), 1).astype(np.int64)

    def drawn(p: np.ndarray) -> np.ndarray:
        return rng.binomial(whole, np.where(inside, p, 0.0), (DRAWS, *p.shape)) / whole

    null = _spans(drawn(np.broadcast_to(middle, rate.shape)), inside) @ weight
    smooth = (rate * size + 1) / (size + 2)
    noise = _spans(drawn(smooth) - smooth, inside) @ weight
    p_value = float((1 + (null >= seen - 1e-12).sum()) / (1 + DRAWS))
    low = max(seen - float(np.quantile(noise, (1 + level) / 2)), 0.0)
    top = np.array([float(gap_interval(rate[r, inside[r]], size[r, inside[r]], level)[1]) for r in range(len(kept))])
    up = float(np.sqrt((weight**2 * (top - gap) ** 2).sum()))
    value = Value(seen, low, min(seen + up, 1.0), float(size.sum()), None, "noise drawn below, Newcombe above")
    return value, float(null.mean()), p_value


def _spans(rate: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """(..., R) largest minus smallest rate (..., R, A) among the groups inside (R, A)."""
    return np.where(inside, rate, -np.inf).max(-1) - np.where(inside, rate, np.inf).min(-1)
