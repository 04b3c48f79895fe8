"""Would a like person of another group be treated the same: matched pairs, their balance, and what could undo it.

People of one group are paired with like people of the other; the mean difference of the outcome within pairs is what
is left of the gap among people who are alike in what was recorded. It is the effect of the group only if nothing that
was not recorded differs within pairs, and only along the ways that the features do not carry: what the group itself
changed must not be matched on. Source: Ghoba & Colaner 2021 (counterfactual fairness in mortgage lending by matching).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.audit.pairs import Encoded, Pairs, balance, caliper_width, encode, nearest_pairs, overlap, propensity
from core.audit.strata import largest_gap, outcome_of, outcomes_of, stratify
from core.gaps import difference
from core.inference import wilson
from core.types import BadInput, Predictions, Value

MOST_ROWS = 20_000
ORDERS = {"propensity": "nearest propensity score", "mahalanobis": "nearest in all features within the caliper"}
NOT_ALONE = "pairs share people or have weights"


@dataclass(frozen=True)
class Matching:
    """What pairs say; every difference is first - second.

    Args:
        first, second: groups. counted, whom: the outcome in words. n_first, n_second: people who could be paired.
        raw: difference of the outcome before matching. effect: mean difference within pairs, p its p-value, by p_how.
        only_first, only_second: pairs in which only the first, only the second has the outcome (NaN for scores).
        differ: share of pairs with different outcomes. same_group: the same among pairs of two people of the second
            group, which is how often like people differ without any difference of group.
        share: people of the first group who found a partner. overlap: area shared by the propensity scores.
        gamma: how far unrecorded differences may change the odds of the outcome within a pair before p passes
            1 - level; undefined with its reason. balance: of `core.audit.pairs.balance`.
        rows: (P, 2) rows of the table of Predictions. left_out: features as (name, reason). notes: plain sentences.
    """

    first: int
    second: int
    counted: str
    whom: str
    n_first: int
    n_second: int
    raw: Value
    effect: Value
    p: float
    p_how: str
    only_first: float
    only_second: float
    differ: Value
    same_group: Value
    share: float
    overlap: float
    gamma: Value
    balance: pd.DataFrame
    rows: np.ndarray
    left_out: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Sample:
    """Rows that can be paired: at (N,) places in the table, y (N,) outcome, is_first, w, person (N,) or None."""

    at: np.ndarray
    y: np.ndarray
    is_first: np.ndarray
    w: np.ndarray
    person: np.ndarray | None
    binary: bool
    weighted: bool
    level: float


def match_outcomes(rows: Predictions, model: int = 0) -> tuple[str, ...]:
    """Outcomes that can be compared within pairs: those of `outcomes_of`, and the score itself."""
    return outcomes_of(rows, model) + (("score",) if rows.models[model].score is not None else ())


def match(rows: Predictions, model: int = 0, outcome: str = "selection", first: int | None = None,
          second: int | None = None, features: Sequence[str] | None = None, exact: Sequence[str] = (), *,
          order: str = "propensity", caliper: float = 0.2, replace: bool = False, seed: int = 0) -> Matching:
    """Pair the first group's people with like people of the second.

    Args:
        rows: checked rows. With weights the effect is weighted by those of the first group; rows of a person are
            counted together in the interval.
        outcome: of `match_outcomes`. first, second: groups, None for those with the largest gap.
        features: of the propensity score, None for all. exact: features (numbers in parts) that must be equal.
        order: of ORDERS. caliper: in standard deviations of the logit. replace: partners may be used again.
        seed: of the sample (above 20,000 rows) and of ties.

    Returns:
        Matching. Raises BadInput in one sentence where nobody can be paired or a setting is not allowed.
    """
    if order not in ORDERS or not 0 < caliper <= 10:
        raise BadInput("Matching", f"{order!r} with caliper {caliper:g}", "propensity or mahalanobis, caliper above 0",
                       "use propensity and 0.2")
    rng = np.random.default_rng(seed)
    notes: list[str] = []
    sample, counted, whom, groups = _sample(rows, model, outcome, first, second, rng, notes)
    encoded, cell = _described(rows, sample.at, features, exact)
    logit = propensity(encoded.x, sample.is_first, sample.w if sample.weighted else None)
    width = caliper_width(logit, sample.is_first, caliper)
    x = encoded.x if order == "mahalanobis" else None
    pairs = nearest_pairs(logit, sample.is_first, width, rng, cell=cell, x=x, replace=replace)
    n_first, n_second = int(sample.is_first.sum()), int((~sample.is_first).sum())
    if not replace and n_first > n_second:
        notes.append(f"The first group is larger: at most {n_second:,} of its {n_first:,} people can find a partner.")
    effect, p, how, only = _effect(sample, pairs, replace)
    table = balance(encoded, logit, sample.is_first, pairs, sample.w)
    return Matching(*groups, counted, whom, n_first, n_second, _raw(sample), effect, p, how, *only,
                    _differ(sample, pairs, replace), _same_group(sample, logit, width, cell, x, rng),
                    len(pairs.first) / n_first, overlap(logit, sample.is_first),
                    _gamma(sample, only, replace, len(pairs.first)), table,
                    sample.at[np.stack([pairs.first, pairs.second], 1)], encoded.left_out, tuple(notes))


def _sample(rows: Predictions, model: int, outcome: str, first: int | None, second: int | None,
            rng: np.random.Generator, notes: list[str]) -> tuple[_Sample, str, str, tuple[int, int]]:
    allowed = match_outcomes(rows, model)
    if outcome not in allowed:
        raise BadInput("Outcome", repr(outcome), ", ".join(allowed), "choose another outcome")
    if outcome == "score":
        y, here, counted, whom = np.asarray(rows.models[model].score), np.ones(rows.n, bool), "score", "everyone"
    else:
        what = outcome_of(rows, model, outcome)
        y, here, counted, whom = what.value, what.here, what.counted, what.whom
    if first is None and second is None:
        by = next((o for o in ("selection", *allowed) if o in allowed and o != "score"), None)
        if by is None:
            raise BadInput("Groups", "no choice", "two groups", "choose both groups")
        first, second, _ = largest_gap(rows, outcome_of(rows, model, by))
    if first is None or second is None or first == second or not (0 <= first < rows.n_attrs > second >= 0):
        raise BadInput("Groups", f"{first} and {second}", f"two different numbers from 0 to {rows.n_attrs - 1}",
                       "choose two groups")
    parts = [np.flatnonzero(here & (rows.groups.code == g)) for g in (first, second)]
    if min(map(len, parts)) < 2:
        raise BadInput("Groups", f"{len(parts[0]):,} and {len(parts[1]):,} rows of {whom}", "at least two in each",
                       "choose other groups")
    at = _capped(parts, rng, notes)
    person = None if rows.person is None else rows.person[at]
    return (_Sample(at, y[at], rows.groups.code[at] == first, np.ones(len(at)) if rows.w is None else rows.w[at],
                    person, outcome != "score", rows.w is not None, rows.spec.level), counted, whom, (first, second))


def _capped(parts: list[np.ndarray], rng: np.random.Generator, notes: list[str]) -> np.ndarray:
    """Places of at most MOST_ROWS rows; both groups lose the same share, but of a small one all are kept."""
    total, small = len(parts[0]) + len(parts[1]), min(map(len, parts))
    if total <= MOST_ROWS:
        return np.concatenate(parts)
    fewer = max(min(small, MOST_ROWS // 4), MOST_ROWS * small // total)
    sizes = [fewer if len(p) == small else MOST_ROWS - fewer for p in parts]
    sizes = [min(n, len(p)) for n, p in zip(sizes, parts, strict=True)]
    notes.append(f"Of {total:,} rows a random {sum(sizes):,} are used ({sizes[0]:,} and {sizes[1]:,}).")
    return np.concatenate([np.sort(rng.choice(p, n, replace=False)) for p, n in zip(parts, sizes, strict=True)])


def _described(rows: Predictions, at: np.ndarray, features: Sequence[str] | None,
               exact: Sequence[str]) -> tuple[Encoded, np.ndarray | None]:
    known = [str(c) for c in rows.features.columns]
    names = [n for n in (known if features is None else features) if n not in exact]
    unknown = [n for n in [*names, *exact] if n not in known]
    if unknown or not [*names, *exact]:
        raise BadInput("Features", ", ".join(map(repr, unknown)) or "none",
                       ", ".join(known[:12]) or "none in the table", "choose others")
    table = rows.features.iloc[at]
    cell = None
    for name in exact:
        code = stratify(name, table[name]).code
        cell = code if cell is None else np.unique(cell * (code.max() + 1) + code, return_inverse=True)[1]
    encoded = encode(table, names)
    if not encoded.columns and cell is None:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in encoded.left_out[:3])
        raise BadInput("Features", reasons, "features that differ between people", "choose others")
    return encoded, cell


def _raw(sample: _Sample) -> Value:
    y, w, one = sample.y, sample.w, sample.is_first
    means = [float(np.average(y[side], weights=w[side])) for side in (one, ~one)]
    gap, n = means[0] - means[1], float(len(y))
    if sample.binary and sample.person is None:
        size = [float(w[side].sum() ** 2 / (w[side] ** 2).sum()) for side in (one, ~one)]
        a, n_a, b, n_b = (np.asarray(v) for v in (means[0], size[0], means[1], size[1]))
        low, high = difference(a, n_a, b, n_b, sample.level)
        return Value(gap, float(low), float(high), n, None, "Newcombe")
    moved = np.where(one, w / w[one].sum() * (y - means[0]), -w / w[~one].sum() * (y - means[1]))
    each = moved if sample.person is None else np.bincount(sample.person, moved)
    half = _z(sample.level) * math.sqrt(float((each**2).sum()))
    return Value(gap, gap - half, gap + half, n, None, "normal" if sample.person is None else "normal, by person")


def _alone(sample: _Sample, replace: bool) -> bool:
    """Whether pairs are independent and count the same."""
    return not (replace or sample.weighted or sample.person is not None)


def _effect(sample: _Sample, pairs: Pairs, replace: bool) -> tuple[Value, float, str, tuple[float, float]]:
    """Mean difference within pairs, p-value, how, and the pairs where only the first, only the second has it."""
    n = len(pairs.first)
    if n < 2:
        return Value(math.nan, math.nan, math.nan, n, f"{n} pairs", ""), math.nan, "", (math.nan, math.nan)
    d = sample.y[pairs.first] - sample.y[pairs.second]
    only = (float((d > 0).sum()), float((d < 0).sum())) if sample.binary else (math.nan, math.nan)
    if sample.binary and _alone(sample, replace):
        low, high = paired_interval(*only, n, sample.level)
        return Value(float(d.mean()), low, high, n, None, "pairs (Bonett, Price)"), mcnemar(*only), "McNemar", only
    w = sample.w[pairs.first]
    mean, spread = float(np.average(d, weights=w)), _pair_spread(sample, pairs, d)
    if spread == 0:
        return Value(mean, math.nan, math.nan, n, None, "none: every pair differs alike"), math.nan, "", only
    from scipy.stats import t

    free = min(len(np.unique(pairs.first)), len(np.unique(pairs.second))) - 1
    half = float(t.ppf((1 + sample.level) / 2, max(free, 1))) * spread
    how = "paired t" if _alone(sample, replace) else "linearised, shared people together"
    p = float(2 * t.sf(abs(mean) / spread, max(free, 1)))
    return Value(mean, mean - half, mean + half, n, None, how), p, how, only


def _pair_spread(sample: _Sample, pairs: Pairs, d: np.ndarray) -> float:
    """Standard error of the weighted mean of d (P,): pairs that share a person of either side move together.

    Variance by the first's people plus that by the second's, less that by both. Source: Cameron, Gelbach & Miller 2011.
    """
    w = sample.w[pairs.first]
    moved = w / w.sum() * (d - np.average(d, weights=w))
    one, other = (p if sample.person is None else sample.person[p] for p in (pairs.first, pairs.second))

    def by(code: np.ndarray) -> float:
        sums = np.bincount(np.unique(code, return_inverse=True)[1], moved)
        return float((sums**2).sum()) * len(sums) / max(len(sums) - 1, 1)

    both = by(one * (int(other.max()) + 1) + other)
    return math.sqrt(max(by(one) + by(other) - both, min(by(one), by(other))))


def _differ(sample: _Sample, pairs: Pairs, replace: bool) -> Value:
    n = len(pairs.first)
    if not sample.binary or n < 2:
        reason = "scores nearly always differ" if not sample.binary else f"{n} pairs"
        return Value(math.nan, math.nan, math.nan, n, reason, "")
    d = (sample.y[pairs.first] != sample.y[pairs.second]).astype(np.float64)
    share = float(np.average(d, weights=sample.w[pairs.first]))
    if _alone(sample, replace):
        low, high = wilson(d.sum(), n, sample.level)
        return Value(share, float(low), float(high), n, None, "Wilson")
    half = _z(sample.level) * _pair_spread(sample, pairs, d)
    return Value(share, max(share - half, 0.0), min(share + half, 1.0), n, None, "linearised, shared people together")


def _same_group(sample: _Sample, logit: np.ndarray, width: float, cell: np.ndarray | None, x: np.ndarray | None,
                rng: np.random.Generator) -> Value:
    """How often two like people of the second group differ: its people parted at random and paired the same way."""
    there = np.flatnonzero(~sample.is_first)
    half = np.zeros(len(there), bool)
    half[rng.permutation(len(there))[: len(there) // 2]] = True
    if not sample.binary or len(there) < 4:
        reason = "too few people" if sample.binary else "scores nearly always differ"
        return Value(math.nan, math.nan, math.nan, len(there), reason, "")
    inner = nearest_pairs(logit[there], half, width, rng, cell=None if cell is None else cell[there],
                          x=None if x is None else x[there])
    return _differ(sample, Pairs(there[inner.first], there[inner.second]), False)


def _gamma(sample: _Sample, only: tuple[float, float], replace: bool, n: int) -> Value:
    if not sample.binary or not _alone(sample, replace) or n < 2:
        why = "for yes-or-no outcomes only" if not sample.binary else NOT_ALONE if n >= 2 else f"{n} pairs"
        return Value(math.nan, math.nan, math.nan, n, why, "")
    found = rosenbaum_gamma(*only, sample.level)
    chance = None if found > 1 else "chance alone explains the difference"
    value = found if found > 1 else math.nan
    return Value(value, math.nan, math.nan, sum(only), chance, "Rosenbaum's bound (no interval: it is a bound itself)")


def mcnemar(only_first: float, only_second: float) -> float:
    """Exact two-sided p-value that either of a pair is as likely to be the one with the outcome. Source: McNemar 1947.

    >>> round(mcnemar(1, 9), 4)
    0.0215
    """
    from scipy.stats import binom

    total = only_first + only_second
    return float(min(1.0, 2 * binom.cdf(min(only_first, only_second), total, 0.5))) if total else 1.0


def paired_interval(only_first: float, only_second: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Interval of the difference of two rates in n pairs, one pair of either kind added. Source: Bonett, Price 2012.

    >>> [round(end, 4) for end in paired_interval(1, 9, 40)]
    [-0.3415, -0.0394]
    """
    a, b = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    half = _z(level) * math.sqrt((a + b - (a - b) ** 2) / (n + 2))
    return max(a - b - half, -1.0), min(a - b + half, 1.0)


def rosenbaum_gamma(only_first: float, only_second: float, level: float = 0.95) -> float:
    """How many times likelier, through something unrecorded, one of a pair may be to have the outcome before the exact
    two-sided p-value passes 1 - level; 1 where it does so without any. Source: Rosenbaum 2002, section 4.3.

    >>> round(rosenbaum_gamma(110, 12), 2)
    5.04
    """
    from scipy.special import betaincinv

    more, total = max(only_first, only_second), only_first + only_second
    if not total:
        return 1.0
    share = float(betaincinv(more, total - more + 1, (1 - level) / 2))
    return max(share / (1 - share), 1.0)


def _z(level: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)
