"""Where a model is worst: slices of people found by search, and confirmed on rows that the search did not see.

A slice is up to three conditions ("hours 45 or more and married") that hold for at least a chosen share of the rows.
Rows are halved at random (rows of a person together). In one half every such slice is counted, compared with everybody
else and ranked by the end of its interval that is nearest to no difference; slices that say nothing new are dropped:
a further condition that does not change the divergence noticeably, and people who are in a worse slice already.
The few that are left are tested on the other half, where nothing was picked.
Sources: Koudounas et al. 2024 [24] (support, divergence); Newcombe 1998 (intervals); the signed root of the likelihood
ratio of two rates (p-values, one-sided); Holm 1979; the rules of what is redundant are ours.
N rows, F features, S slices, K listed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.audit.itemsets import (
    MOST_CONDITIONS,
    Column,
    Condition,
    Found,
    Half,
    columns_of,
    count,
    half_of,
    halves,
    itemsets,
    rate_in,
)
from core.audit.sentences import adjusted, clip
from core.audit.strata import Outcome, outcome_of, outcomes_of
from core.gaps import difference
from core.inference import wilson
from core.types import BadInput, Predictions, Value

MEASURES = {"accuracy": ("error", -1), "error": ("error", 1), "tpr": ("tpr", -1), "fpr": ("fpr", 1),
            "selection": ("selection", 0)}  # name -> outcome, whether more or less of it is worse (0: either)
MOST_FEATURES = 24
MOST_WALKED = 3000
NOTICED = 0.1  # a further condition must add this share of the divergence, beyond chance


@dataclass(frozen=True)
class Side:
    """A slice in one half: rows, its rate, that of the rest (or everyone), the divergence between them, the one-sided
    p-value and that adjusted by Holm (over all slices in the search half, over the K listed in the other)."""

    n: int
    rate: Value
    rest: Value
    divergence: Value
    p: float
    p_holm: float


@dataclass(frozen=True)
class Slice:
    """Conditions, their words, the share of rows (weighted), both halves, and whether the other half confirms it."""

    conditions: tuple[Condition, ...]
    label: str
    share: float
    search: Side
    held_out: Side
    confirmed: bool


@dataclass(frozen=True)
class Slices:
    """What a search found.

    worse: 1 where a higher rate is worse, -1 where a lower one is, 0 where either counts. everyone: the rate of all
    rows. looked_at: slices with enough rows; redundant: those dropped before the list was full; left_out: columns
    with the reason.
    """

    measure: str
    counted: str
    whom: str
    worse: int
    against: str
    everyone: Value
    slices: tuple[Slice, ...]
    looked_at: int
    redundant: int
    left_out: tuple[tuple[str, str], ...]
    n_search: int
    n_held_out: int
    level: float


def measures_of(rows: Predictions, model: int = 0) -> tuple[str, ...]:
    """Which of MEASURES these rows can answer."""
    there = outcomes_of(rows, model)
    return tuple(name for name, (outcome, _) in MEASURES.items() if outcome in there)


def measure_of(rows: Predictions, model: int, name: str) -> Outcome:
    """The rate `name` row by row. Raises BadInput where the rows cannot answer it."""
    if name not in MEASURES:
        raise BadInput("Measure", repr(name), ", ".join(MEASURES), "choose another")
    found = outcome_of(rows, model, MEASURES[name][0])
    return replace(found, name=name, value=1 - found.value, counted="predicted right") if name == "accuracy" else found


def find_slices(rows: Predictions, model: int = 0, measure: str = "accuracy", *, conditions: int = 3,
                share: float = 0.03, keep: int = 10, parts: int = 4, against: str = "rest",
                seed: int = 0) -> Slices:
    """Search one half, test the K best on the other.

    Args:
        rows, model: what is audited. measure: one of MEASURES. conditions: 1 to 3. share: least (weighted) share of
        the rows that the measure speaks of; slices also need min_n rows of the search half. keep: K. parts: into
        which numbers and dates are cut. against: "rest" or "all" (divergence to everyone, [24]). seed: of the halves.

    Returns:
        Slices. Raises BadInput for options out of range, rows that cannot answer the measure, and too few rows.
    """
    _check(conditions, share, keep, against, parts)
    outcome = measure_of(rows, model, measure)
    columns, left_out = columns_of(rows, parts)
    one, two = (half_of(rows, outcome, columns, side) for side in halves(rows, np.random.default_rng(seed)))
    least = max(rows.spec.min_n, 2)
    if min(len(one.x), len(two.x)) < 2 * least:
        raise BadInput("Rows", f"{len(one.x) + len(two.x):,} of {outcome.whom}", f"at least {4 * least}",
                       "use more rows or another measure")
    worse, level = MEASURES[measure][1], rows.spec.level
    kept, dropped = _most_telling(one, columns, level)
    left_out += [(columns[f].name, f"only the {MOST_FEATURES} columns that differ most are crossed") for f in dropped]
    columns = [columns[f] for f in kept]
    one, two = (replace(half, codes=tuple(half.codes[f] for f in kept)) for half in (one, two))
    found = itemsets(one, [len(c.conditions) for c in columns], conditions, share, least)
    chosen, signs, p_search, redundant = _choose(one, found, worse, keep, level)
    listed = _confirm(one, two, found, columns, chosen, signs, p_search, against, level)
    both = half_of(rows, outcome, [], np.ones(rows.n, bool))
    everyone = _value(*rate_in(both, np.ones(len(both.x), bool)), level)
    return Slices(measure, outcome.counted, outcome.whom, worse, against, everyone, listed, found.items.shape[0],
                  redundant, tuple(left_out), len(one.x), len(two.x), level)


def signed_root(a: np.ndarray, n: np.ndarray, b: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Signed root of the likelihood ratio of two rates a and b of n and m (effective) rows, about standard normal when
    they are equal; it keeps its size in the tails, where the usual z is too sure. 0 where a side has no rows.

    >>> round(float(signed_root(0.3, 50, 0.1, 950)), 3)
    3.78
    """
    from scipy.special import xlogy

    a, n, b, m = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (a, n, b, m)))
    known = (n > 0) & (m > 0)
    a, b, n, m = np.where(known, a, 0.0), np.where(known, b, 0.0), np.where(known, n, 1.0), np.where(known, m, 1.0)
    pooled = (a * n + b * m) / (n + m)
    fit = sum(size * (xlogy(p, p) + xlogy(1 - p, 1 - p)) for p, size in ((a, n), (b, m)))
    null = (n + m) * (xlogy(pooled, pooled) + xlogy(1 - pooled, 1 - pooled))
    return np.where(known, np.sign(a - b) * np.sqrt(np.maximum(2 * (fit - null), 0)), 0.0)


def said(found: Slices) -> list[str]:
    """The answer in plain sentences: the worst slice that the held-out half confirms, else that none is."""
    sure = [s for s in found.slices if s.confirmed]
    half = f"{found.n_held_out:,} rows that the search did not see"
    if not found.looked_at:
        return ["No slice has enough rows: lower the least share, or bring more columns."]
    if not found.slices:
        return [f"No slice stands out: among {found.looked_at:,} slices none differs by more than its own interval."]
    first = (sure or list(found.slices))[0]
    side = first.held_out if np.isfinite(first.held_out.rate.value) else first.search
    rest = "everybody else" if found.against == "rest" else "everyone"
    whom = "" if found.whom == "everyone" else f" of {found.whom}"
    a, b = _hundreds(side.rate.value, side.rest.value)
    sentence = f"Among “{clip(first.label, 160)}”, {a} of 100{whom} are {found.counted}, against {b} among {rest}"
    if not sure and not np.isfinite(first.held_out.rate.value):
        return [f"No slice is confirmed. The one that stood out most in the search: {sentence[0].lower()}"
                f"{sentence[1:]}; all of its rows lie in the search half."]
    if not sure:
        return [f"No slice is confirmed on the {half}. The one that stood out most in the search: "
                f"{sentence[0].lower() + sentence[1:]}, which chance alone could make."]
    d = side.divergence
    return [f"{sentence}; confirmed on {half} (difference {100 * d.value:+.1f} points, {100 * found.level:g} % "
            f"interval {100 * d.low:+.1f} to {100 * d.high:+.1f}).",
            f"{len(sure)} of the {len(found.slices)} slices listed are confirmed; {found.looked_at:,} were looked at."]


def _hundreds(*rates: float) -> list[str]:
    """Rates as numbers of 100, with a decimal where whole numbers would look equal or like none or all."""
    whole = [f"{100 * rate:.0f}" for rate in rates]
    sharp = len(set(whole)) < len(whole) or any(t in ("0", "100") and r not in (0, 1) for t, r in
                                                zip(whole, rates, strict=True))
    return [f"{100 * rate:.1f}" for rate in rates] if sharp else whole


def _check(conditions: int, share: float, keep: int, against: str, parts: int) -> None:
    if not 2 <= parts <= 50:
        raise BadInput("Parts", f"{parts}", "2 to 50", "use 4")
    if conditions not in range(1, MOST_CONDITIONS + 1):
        raise BadInput("Conditions", f"{conditions}", f"1 to {MOST_CONDITIONS}", "use 3")
    if not 0.001 <= share <= 0.5:
        raise BadInput("Least share", f"{share:g}", "0.001 to 0.5", "use 0.03")
    if not 1 <= keep <= 100:
        raise BadInput("Slices listed", f"{keep}", "1 to 100", "use 10")
    if against not in ("rest", "all"):
        raise BadInput("Against", repr(against), "rest or all", "use rest")


def _value(p: float, size: float, n: int, level: float) -> Value:
    if not n:
        return Value(math.nan, math.nan, math.nan, 0.0, "no rows", "")
    low, high = wilson(p * size, size, level)
    return Value(p, float(low), float(high), size, None, "Wilson")


def _most_telling(half: Half, columns: Sequence[Column], level: float) -> tuple[list[int], list[int]]:
    """The columns whose parts differ most in the search half, in their own order, and the others."""
    if len(columns) <= MOST_FEATURES:
        return list(range(len(columns))), []
    told = []
    for code, column in zip(half.codes, columns, strict=True):
        counts = count(half, code, len(column.conditions))
        told.append(np.abs(_compared(half, counts, counts.sum(1), level)[0]).max())
    order = np.argsort(-np.array(told), kind="stable")
    return sorted(order[:MOST_FEATURES].tolist()), sorted(order[MOST_FEATURES:].tolist())


def _compared(half: Half, counts: np.ndarray, total: np.ndarray,
              level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Signed root, divergence and its interval of slices (4, S) against the rest of `total` (4,) or (4, S)."""
    rest = np.maximum(np.reshape(total, (4, -1)) - counts, 0)
    (a, n), (b, m) = ((np.divide(c[3], c[1], out=np.zeros(c.shape[1]), where=c[1] > 0),
                       half.pooled * np.divide(c[1] ** 2, c[2], out=np.zeros(c.shape[1]), where=c[1] > 1e-9))
                      for c in (counts, rest))
    low, high = difference(a, n, b, m, level)
    known = (n > 0) & (m > 0)
    return (signed_root(a, n, b, m), np.where(known, a - b, 0.0), np.where(known, low, -1.0),
            np.where(known, high, 1.0))


def _choose(half: Half, found: Found, worse: int, keep: int,
            level: float) -> tuple[list[int], list[int], dict[int, float], int]:
    """The K best slices that say something of their own, the direction of each, Holm's p-value of each over all
    slices, and how many were dropped as redundant on the way."""
    from scipy.special import ndtr

    if not found.items.shape[0]:
        return [], [], {}, 0
    w = half.weight
    table = np.stack([np.ones(len(w)), w, w * w, w * half.x])
    total = table.sum(1)
    root, apart, low, high = _compared(half, found.counts, total, level)
    sign = np.sign(apart) if worse == 0 else np.full(len(apart), float(worse))
    near = np.where(sign > 0, low, -high)
    p = ndtr(-sign * root) * (2 if worse == 0 else 1)
    holm = adjusted(np.minimum(p, 1).tolist())
    new = _adds(half, found, apart, near, sign, level)
    order = np.argsort(-near, kind="stable")
    chosen: list[int] = []
    covered, redundant = np.zeros(len(w), bool), 0
    for s in order[near[order] > 0][:MOST_WALKED].tolist():
        if len(chosen) == keep:
            break
        mask = found.mask(half, s)
        inside = any(found.within(s, t) for t in chosen)
        left = mask & ~covered
        counts = table[:, left].sum(1)[:, None]
        _, _, bottom, top = _compared(half, counts, total - table[:, mask & covered].sum(1), level)
        if not new[s] or not (inside or (bottom if sign[s] > 0 else -top)[0] > 0):
            redundant += 1
            continue
        chosen.append(s)
        covered |= mask
    return chosen, [int(sign[s]) for s in chosen], {s: holm[s] for s in chosen}, redundant


def _adds(half: Half, found: Found, apart: np.ndarray, near: np.ndarray, sign: np.ndarray,
          level: float) -> np.ndarray:
    """(S,) whether the divergence of a slice is noticeably beyond that of every parent: by a tenth of it, and by more
    than chance among the parent's own people; where the parent stands out already, by more than the chance of all the
    slices that add a condition to it (Bonferroni), since the worst part of a bad slice is easily taken for more."""
    from scipy.special import ndtri

    new = np.ones(len(apart), bool)
    children = np.bincount(found.parent[found.parent >= 0], minlength=len(apart))
    for k in range(MOST_CONDITIONS):
        there = np.flatnonzero(found.parent[:, k] >= 0)
        up = found.parent[there, k]
        root = _compared(half, found.counts[:, there], found.counts[:, up], level)[0]
        needed = -ndtri((1 - level) / 2 / np.where(near[up] > 0, children[up], 1))
        before, now = sign[there] * apart[up], sign[there] * apart[there]
        new[there] &= (sign[there] * root > needed) & (now - before >= NOTICED * np.maximum(before, 0))
    return new


def _confirm(one: Half, two: Half, found: Found, columns: Sequence[Column], chosen: list[int], signs: list[int],
             p_search: dict[int, float], against: str, level: float) -> tuple[Slice, ...]:
    masks = [(found.mask(one, s), found.mask(two, s)) for s in chosen]
    before = [_side(one, m, sign, against, level, p_search[s])
              for (m, _), sign, s in zip(masks, signs, chosen, strict=True)]
    after = [_side(two, m, sign, against, level) for (_, m), sign in zip(masks, signs, strict=True)]
    holm = adjusted([side.p for side in after])
    out = []
    for s, (m, _), first, second, p in zip(chosen, masks, before, after, holm, strict=True):
        told = tuple(columns[f].conditions[v] for f, v in zip(found.items[s], found.part[s], strict=True) if f >= 0)
        share = float(one.weight[m].sum() / one.weight.sum())
        out.append(Slice(told, " and ".join(c.words for c in told), share, first, replace(second, p_holm=p),
                         bool(p < 1 - level)))
    return tuple(out)


def _side(half: Half, mask: np.ndarray, sign: int, against: str, level: float, p_holm: float = math.nan) -> Side:
    from scipy.special import ndtr

    a, b = rate_in(half, mask), rate_in(half, ~mask)
    if not a[2] or not b[2]:
        none = Value(math.nan, math.nan, math.nan, 0.0, "no rows in the slice" if not a[2] else "no rows outside", "")
        return Side(a[2], _value(*a, level), _value(*b, level), none, math.nan, p_holm)
    x, n, y, m = (np.asarray(v, dtype=np.float64) for v in (*a[:2], *b[:2]))
    p = float(ndtr(-sign * signed_root(x, n, y, m)))
    low, high = difference(x, n, y, m, level)
    scale, other = 1.0, b
    if against == "all":  # rate - everyone's = (1 - share) (rate - rest's), the share taken as known
        scale = float(half.weight[~mask].sum() / half.weight.sum())
        other = rate_in(half, np.ones(len(mask), bool))
    how = "Newcombe" if half.person is None else "Newcombe, rows of a person together"
    apart = Value(scale * (a[0] - b[0]), scale * float(low), scale * float(high), a[1], None, how)
    return Side(a[2], _value(*a, level), _value(*other, level), apart, p, p_holm)
