"""Sets of classes instead of one: whose sets miss the truth, and whose say nothing?

Split conformal prediction: thresholds are taken from one half of the rows (core/audit/set_thresholds.py); a set holds
every class whose score of unlikeness is at most the threshold, and covers the truth of new rows with chance 1 - alpha
or more. Sets are counted on the other half. Intervals hold what both halves leave open: that of the counted rows, and
how far the number moves when the threshold moves by its own standard error, sqrt(alpha (1 - alpha) / rows) of coverage.
With two classes the share of unclear sets has a kink where empty sets turn into full ones; near it its interval, which
takes the number for smooth, covers less than it says (87 of 100 instead of 95 where it was tried).

Policies (Gao et al. 2026, "Burden of Fairness in Conformal Prediction"): one pooled threshold q, a threshold q_g for
each group, equal sizes (thresholds that give every group the same mean size), and the way (1 - t) q + t q_g between
the first two. Pooled, the groups' coverages lie around 1 - alpha and cancel: what one has above, others have below.

Shapes: N rows, C classes, G groups with everyone as the last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.audit.cell_rates import CellRates, cell_means, cell_rates
from core.audit.set_thresholds import POLICIES, Halves, fewest, split_halves, thresholds
from core.gaps import gap_interval
from core.inference import wilson
from core.types import BadInput, Predictions, Value

SETS = ("none", "one, right", "one, wrong", "several")
STEPS = 11


@dataclass(frozen=True)
class SetGroup:
    """The sets of one group (or of everyone) on the evaluation half.

    n, n_calibration: rows of the halves. threshold: of the group; inf where every set holds all classes; with weights
    that of a row of mean weight. coverage: share of sets with the truth. size: mean number of classes. shares: of the
    sets in SETS. unclear: share of sets that do not name exactly one class.
    """

    label: str
    n: int
    n_calibration: int
    small: bool
    threshold: float
    coverage: Value
    size: Value
    shares: Mapping[str, Value]
    unclear: Value


@dataclass(frozen=True)
class PolicySets:
    """One policy. The gaps are largest differences between groups that are not small; distortion: the mean distance
    of a group's coverage from 1 - alpha, by rows."""

    name: str
    groups: tuple[SetGroup, ...]
    everyone: SetGroup
    coverage_gap: Value
    size_gap: Value
    unclear_gap: Value
    distortion: float


@dataclass(frozen=True)
class Conformal:
    """policies by name; path: t, coverage_gap, size_gap with ends; apart: how far the groups' own thresholds lie from
    one that is shared (mean distance, by rows; inf with an infinite one); notes in words."""

    alpha: float
    kind: str
    policies: Mapping[str, PolicySets]
    path: pd.DataFrame
    apart: float
    notes: tuple[str, ...]


def conformal(rows: Predictions, model: int = 0, *, alpha: float = 0.1, kind: str = "lac", seed: int = 0) -> Conformal:
    """Sets of one model under every policy.

    Args:
        rows: checked rows with labels. model: which of rows.models (two classes, probabilities). alpha: how often a set
            may miss the truth. kind: "lac" or "aps". seed: of the halves and of APS's random part.
    """
    if not 0 <= model < len(rows.models):
        raise BadInput("Model", repr(model), f"a number from 0 to {len(rows.models) - 1}", "choose a model")
    output = rows.models[model]
    if rows.y is None or len(rows.classes) != 2:
        raise BadInput("Labels", "none" if rows.y is None else f"{len(rows.classes)} classes without scores",
                       "two classes", "name the label and its positive class")
    if output.score is None or not output.probability:
        found = "predictions alone" if output.score is None else "points"
        raise BadInput(f"Model {output.name}", found, "probabilities", "choose a model with probabilities")
    y, p = rows.y, np.column_stack([1 - output.score, output.score])
    halves = split_halves(p, y, rows.groups.code, rows.groups.labels, kind=kind, w=rows.w, unit=rows.person,
                          level=rows.spec.level, min_n=rows.spec.min_n, rng=np.random.default_rng(seed))
    return measure_sets(halves, alpha, kind)


def measure_sets(halves: Halves, alpha: float, kind: str = "lac") -> Conformal:
    """All policies, and the way from the pooled threshold to those of the groups."""
    if not 0 < alpha < 1:
        raise BadInput("Share of misses", f"{alpha:g}", "a number between 0 and 1", "use 0.1")
    one, each = (thresholds(halves, alpha, name) for name in ("pooled", "group"))
    ends, path = (_shift(halves, alpha, "pooled", one), _shift(halves, alpha, "group", each)), []
    for t in np.linspace(0, 1, STEPS):
        between = one if t == 0 else each if t == 1 else (1 - t) * one + t * each
        rates = _widened(_rates(halves, between), ends[int(t >= 0.5)], halves.level)
        path.append((t, *_share_gap(rates.covered, halves), *_size_gap(rates.size, halves)))
    names = ["t", "coverage_gap", "coverage_low", "coverage_high", "size_gap", "size_low", "size_high"]
    own, share = _by_group(halves, each), np.bincount(halves.evaluation.code, halves.evaluation.w, len(halves.labels))
    policies = {name: measure_policy(halves, alpha, name) for name in POLICIES}
    return Conformal(alpha, kind, policies, pd.DataFrame(path, columns=names), _spread(own, share),
                     _notes(halves, alpha, one, each))


def answer(found: Conformal, policy: str = "pooled") -> list[str]:
    """The answer under one policy in plain sentences, made from the numbers. Deterministic."""
    of = found.policies[policy]
    told = [g for g in of.groups if not g.small]
    if len(told) < 2:
        return ["Fewer than two groups have enough rows to compare their sets."]
    low, high = (pick(told, key=lambda g: g.unclear.value) for pick in (min, max))
    sure = ("the difference is larger than chance explains" if of.unclear_gap.low > 0
            else "chance alone could make this difference")
    said = [f"Of 100 people, {_of(high.unclear)} get a set that does not name one class among {high.label} and "
            f"{_of(low.unclear)} among {low.label}; {sure}."]
    low, high = (pick(told, key=lambda g: g.coverage.value) for pick in (min, max))
    sure = "larger than chance explains" if of.coverage_gap.low > 0 else "within chance"
    said.append(f"Asked to hold the truth for {100 * (1 - found.alpha):g} of 100, the sets do so for "
                f"{_of(low.coverage)} among {low.label} and {_of(high.coverage)} among {high.label}; the difference is "
                f"{sure}.")
    return said


class _Rates(NamedTuple):
    """Of each group and everyone: share of sets with the truth, mean size, shares of SETS, share of unclear sets."""

    covered: CellRates
    size: CellRates
    none: CellRates
    right: CellRates
    wrong: CellRates
    several: CellRates
    unclear: CellRates


def _rates(halves: Halves, threshold: np.ndarray) -> _Rates:
    """Counted on the evaluation half; threshold: (n,) of its rows."""
    new, groups = halves.evaluation, len(halves.labels)
    n, inside = len(new.y), new.unlike <= threshold[:, None]
    cell, w = np.concatenate([new.code, np.full(n, groups)]), np.tile(new.w, 2)
    unit = None if new.unit is None else np.tile(new.unit, 2)
    size, held = inside.sum(1), inside[np.arange(n), new.y]
    shares = [held, size == 0, (size == 1) & held, (size == 1) & ~held, size > 1, size != 1]
    covered, *rest = (cell_rates(np.tile(v.astype(float), 2), cell, groups + 1, w, unit, halves.level) for v in shares)
    sizes = cell_means(np.tile(size.astype(float), 2), cell, groups + 1, w, unit, halves.level)
    return _Rates(covered, sizes, *rest)


def _shift(halves: Halves, alpha: float, policy: str, threshold: np.ndarray) -> np.ndarray:
    """(7, G + 1) how far each of the rates moves when the thresholds move by a standard error of their coverage."""
    cal, groups = halves.calibration, len(halves.labels)
    own = np.nan_to_num(_by_group(halves, threshold), nan=np.inf)
    hit = (cal.true <= own[cal.code]).astype(float)
    cell = cal.code if policy == "group" else np.zeros(len(cal.code), np.int64)
    rows = cell_rates(hit, cell, groups if policy == "group" else 1, cal.w, cal.unit).effective
    error, least = np.sqrt(alpha * (1 - alpha) / np.maximum(rows, 1)), np.minimum(1.001 / (rows + 1), alpha)
    up, down = (thresholds(halves, a, policy) for a in (np.maximum(alpha - error, least), np.minimum(
        alpha + error, 0.999)))
    here, above, below = (_rates(halves, t) for t in (threshold, up, down))
    return np.array([np.maximum(np.abs(a.value - now.value), np.abs(b.value - now.value))
                     for now, a, b in zip(here, above, below, strict=True)])


def _widened(rates: _Rates, shift: np.ndarray, level: float) -> _Rates:
    """The rates with the threshold's own uncertainty added to that of the counted rows."""
    out = []
    for found, moved in zip(rates, np.nan_to_num(shift), strict=True):
        if found is rates.size:
            spread = found.variance + moved**2
            half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(spread)
            out.append(replace(found, low=np.maximum(found.value - half, 0), high=found.value + half, variance=spread))
            continue
        inner = np.nan_to_num(found.value * (1 - found.value))
        ratio = np.divide(moved**2, inner, out=np.zeros(len(inner)), where=inner > 0)
        few = found.effective / (1 + found.effective * ratio)
        low, high = wilson(np.nan_to_num(found.value) * few, few, level)
        out.append(replace(found, low=low, high=high, effective=few))
    return _Rates(*out)


def measure_policy(halves: Halves, alpha: float, name: str) -> PolicySets:
    """The sets of the evaluation half under one of POLICIES."""
    new, groups, threshold = halves.evaluation, len(halves.labels), thresholds(halves, alpha, name)
    rates = _widened(_rates(halves, threshold), _shift(halves, alpha, name, threshold), halves.level)
    covered, kinds = rates.covered, (rates.none, rates.right, rates.wrong, rates.several)
    calibrated = np.append(np.bincount(halves.calibration.code, minlength=groups), len(halves.calibration.y))
    own = np.append(_by_group(halves, threshold), _shared(threshold))
    parts = [SetGroup(label, int(covered.n[k]), int(calibrated[k]), bool(covered.n[k] < halves.min_n), float(own[k]),
                      _value(covered, k, "Wilson"), _value(rates.size, k, "normal"),
                      {words: _value(found, k, "Wilson") for words, found in zip(SETS, kinds, strict=True)},
                      _value(rates.unclear, k, "Wilson"))
             for k, label in enumerate((*halves.labels, "everyone"))]
    mass = np.bincount(new.code, new.w, groups)
    off = np.where(mass > 0, np.abs(covered.value[:groups] - (1 - alpha)), 0.0)
    return PolicySets(name, tuple(parts[:groups]), parts[groups], _gap(covered, halves, _share_gap),
                      _gap(rates.size, halves, _size_gap), _gap(rates.unclear, halves, _share_gap),
                      float((mass * off).sum() / mass.sum()))


def _gap(found: CellRates, halves: Halves, how: Callable[..., tuple[float, float, float]]) -> Value:
    value, low, high = how(found, halves)
    kept = _large(found, halves)
    why = None if math.isfinite(value) else "fewer than two groups with enough rows"
    return Value(value, low, high, float(found.n[kept].sum()), why, "pairs of groups")


def _large(found: CellRates, halves: Halves) -> np.ndarray:
    return np.flatnonzero(found.n[:-1] >= max(halves.min_n, 2))


def _share_gap(found: CellRates, halves: Halves) -> tuple[float, float, float]:
    kept = _large(found, halves)
    if len(kept) < 2:
        return (math.nan,) * 3
    rate = found.value[kept]
    low, high = gap_interval(rate, found.effective[kept], halves.level)
    return float(rate.max() - rate.min()), float(low), float(high)


def _size_gap(found: CellRates, halves: Halves) -> tuple[float, float, float]:
    """The largest difference of mean sizes, put together from pairs as `core.gaps` does for rates."""
    kept = _large(found, halves)
    if len(kept) < 2:
        return (math.nan,) * 3
    i, j = np.triu_indices(len(kept), 1)
    mean, spread = found.value[kept], np.nan_to_num(found.variance[kept])
    apart, error = np.abs(mean[i] - mean[j]), np.sqrt(spread[i] + spread[j])
    z, shared = (NormalDist().inv_cdf(1 - (1 - halves.level) / (2 * k)) for k in (1, len(i)))
    return float(apart.max()), max(0.0, float((apart - shared * error).max())), float((apart + z * error).max())


def _value(found: CellRates, k: int, how: str) -> Value:
    why = None if found.n[k] else "0 rows"
    return Value(float(found.value[k]), float(found.low[k]), float(found.high[k]), float(found.effective[k]), why, how)


def _by_group(halves: Halves, threshold: np.ndarray) -> np.ndarray:
    """(G,) the threshold of a row of middling weight in each group; NaN for a group without rows."""
    return np.array([_shared(threshold[halves.evaluation.code == g]) for g in range(len(halves.labels))])


def _shared(threshold: np.ndarray) -> float:
    return float(np.sort(threshold)[len(threshold) // 2]) if len(threshold) else math.nan


def _spread(own: np.ndarray, share: np.ndarray) -> float:
    """The mean distance of the groups' thresholds from their weighted median: least over all shared thresholds."""
    known = np.isfinite(own) | np.isinf(own)
    own, share = own[known], share[known]
    order = np.argsort(own)
    middle = own[order][np.searchsorted(np.cumsum(share[order]), share.sum() / 2)]
    return math.inf if np.isinf(own).any() else float((share * np.abs(own - middle)).sum() / share.sum())


def _notes(halves: Halves, alpha: float, one: np.ndarray, each: np.ndarray) -> tuple[str, ...]:
    asked, need = f"{100 * (1 - alpha):g} %", fewest(alpha)
    if np.isinf(one).any():
        n = len(halves.calibration.y)
        return (f"{n:,} rows to calibrate with are too few for {asked} (at least {need:,}, more with weights): every "
                "set holds all classes.",)
    sizes = np.bincount(halves.calibration.code, minlength=len(halves.labels)).tolist()
    whole = np.unique(halves.evaluation.code[np.isinf(each)]).tolist()
    return tuple(f"{halves.labels[g]}: {sizes[g]:,} row{'' if sizes[g] == 1 else 's'} to calibrate with, and {asked} "
                 f"needs {need:,} (more with weights); with its own threshold its sets hold all classes."
                 for g in whole)


def _of(value: Value) -> str:
    return f"{100 * value.value:.0f} ({100 * value.low:.0f} to {100 * value.high:.0f})"
