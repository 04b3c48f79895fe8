"""Do the scores mean the same for every group: what was said against what happened, in every group and between them.

A row's distance is its score minus what happened (1 or 0). *In the large* is its mean (mean score minus share of
positives). *Slope* and *intercept* are those of the logistic recalibration logit P(y = 1) = a + b logit(score): a = 0
and b = 1 for scores that mean what they say (Cox 1958). The *calibration error* is the metric `ece`: the mean absolute
mean distance over bins of equal mass. Errors of estimation come from each row's share in the estimate (sandwich, as
Huber 1967 and White 1980), summed over the rows of a person where persons are known; all of it honours weights.

Equal scores mean the same in every group where the groups' recalibration lines agree (Wald test). Shapes: N rows,
G groups with everyone as the last, B bins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.audit.cell_rates import cell_means, cell_rates
from core.audit.recalibration import ScoredRows, expit, fit_lines, line_shares
from core.audit.sentences import adjusted
from core.metrics.scores.bins import BINS
from core.metrics.scores.ranks import group_ties, middle
from core.types import BadInput, Predictions, Scored, Value

BIN_ROWS = 20  # a bin of the reliability table holds at least this many rows
DRAWS = 2000
SANDWICH, SHARED = "sandwich", "normal, bins"


@dataclass(frozen=True)
class GroupCalibration:
    """One group (or everyone).

    n: rows. small: fewer than the limit. mean_score: the mean. share: of positives. large: mean score minus share.
    slope, intercept: of the recalibration. error: the calibration error as the metric has it. corrected: the same
    without what chance adds (at least 0). chance: what scores that mean what they say would show in these rows.
    p, p_holm: that chance alone makes an error as large, raw and adjusted over the groups.
    """

    label: str
    n: int
    small: bool
    mean_score: float
    share: Value
    large: Value
    slope: Value
    intercept: Value
    error: Value
    corrected: float
    chance: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class Apart:
    """A group against the reference group: differences of `large` and `slope`, with p adjusted over the groups."""

    label: str
    reference: str
    large: Value
    slope: Value
    p_large: float
    p_slope: float


@dataclass(frozen=True)
class Calibration:
    """groups: in the audit's order. same: p-value that one recalibration line serves all groups named in `compared`
    (NaN with fewer than two). lines: (G, 2) intercept and slope; spread: (2 G, 2 G) their covariance."""

    groups: tuple[GroupCalibration, ...]
    everyone: GroupCalibration
    apart: tuple[Apart, ...]
    same: float
    compared: tuple[str, ...]
    lines: np.ndarray
    spread: np.ndarray
    level: float


class _Errors(NamedTuple):
    """(G,) each: the metric `ece`, ends of its interval, without what chance adds, p, what chance alone shows."""

    error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    corrected: np.ndarray
    p: np.ndarray
    chance: np.ndarray


def calibration(rows: Predictions, model: int = 0, seed: int = 0) -> Calibration:
    """Measure how one model's probabilities agree with what happened.

    Args:
        rows: checked rows with two classes. model: which of rows.models. seed: of the draws behind `chance`.

    Raises BadInput without labels, with several classes, without scores, or where scores are points.
    """
    made = _rows(rows, model)
    level, g = rows.spec.level, rows.n_attrs
    distance = made.score - made.y
    total = np.where(made.total() > 0, made.total(), np.nan)
    large, mean = made.total(distance) / total, made.total(made.score) / total
    lines, reasons = fit_lines(made)
    spread = _spread(made, lines, distance, large)
    errors = _errors(made, distance, level, np.random.default_rng(seed))
    size = np.bincount(made.code, minlength=made.groups)
    values = _values(made, large, lines, reasons, spread, level)
    holm = [*adjusted(errors.p[:g].tolist()), float(errors.p[g])]
    parts = [GroupCalibration(
        label, int(size[k]), bool(size[k] < rows.spec.min_n), float(mean[k]), *values[k],
        Value(float(errors.error[k]), float(errors.low[k]), float(errors.high[k]), float(size[k]),
              None if size[k] else "no rows", SHARED),
        float(errors.corrected[k]), float(errors.chance[k]), float(errors.p[k]), holm[k])
        for k, label in enumerate((*rows.groups.labels, "everyone"))]
    keep = (np.arange(made.groups)[:, None] * 3 + np.arange(2)).ravel()
    line_spread = spread[np.ix_(keep, keep)]
    usable = [k for k in range(g) if not parts[k].small and parts[k].slope.undefined is None]
    return Calibration(tuple(parts[:g]), parts[g], _apart(parts[:g], spread, rows.groups.reference, level),
                       _same(lines, line_spread, usable), tuple(rows.groups.labels[k] for k in usable), lines,
                       line_spread, level)


def reliability(rows: Predictions, model: int = 0, bins: int = 10) -> pd.DataFrame:
    """What happened against what was said, in bins of equal mass in every group.

    Args:
        bins: at most so many; a group has fewer where they would hold under 20 rows each.

    Returns:
        group, bin, predicted (mean score), observed (share of positives), low, high (Wilson, at effective rows where
        rows have weights or persons), n (rows).
    """
    made = _rows(rows, model)
    sizes = np.bincount(made.code, minlength=made.groups)
    cell = made.code * bins + _bins(made, np.clip(sizes // BIN_ROWS, 1, bins))
    seen = cell_rates(made.y, cell, made.groups * bins, made.w, made.persons, rows.spec.level)
    said = cell_means(made.score, cell, made.groups * bins, made.w).value
    keep = np.flatnonzero(seen.n[:rows.n_attrs * bins] > 0)
    return pd.DataFrame({
        "group": np.array(rows.groups.labels, dtype=object)[keep // bins], "bin": keep % bins, "predicted": said[keep],
        "observed": seen.value[keep], "low": seen.low[keep], "high": seen.high[keep], "n": seen.n[keep]})


def meaning(found: Calibration, score: float) -> list[Value]:
    """The share of positives that a score stands for in every group, by its recalibration line.

    Args:
        score: between 0 and 1.

    Returns:
        A value for every group; undefined where the line is.
    """
    if not 0 < score < 1:
        raise BadInput("Score", f"{score:g}", "a number between 0 and 1", "choose 0.5")
    x = np.array([1.0, math.log(score / (1 - score))])
    z = NormalDist().inv_cdf((1 + found.level) / 2)
    out = []
    for k, group in enumerate(found.groups):
        if group.slope.undefined is not None:
            out.append(Value(math.nan, math.nan, math.nan, group.n, group.slope.undefined, ""))
            continue
        block = found.spread[2 * k: 2 * k + 2, 2 * k: 2 * k + 2]
        half = z * math.sqrt(float(x @ block @ x))
        at, low, high = expit(float(found.lines[k] @ x) + np.array([0.0, -half, half])).tolist()
        out.append(Value(at, low, high, group.n, None, SANDWICH))
    return out


def answer(found: Calibration, score: float = 0.5) -> list[str]:
    """The answer in two or three plain sentences, made from the numbers. Deterministic."""
    values = meaning(found, score)
    told = [(v.value, g.label, v) for g, v in zip(found.groups, values, strict=True) if g.label in found.compared]
    if len(told) < 2:
        return ["Fewer than two groups have enough rows with both outcomes to compare what their scores mean."]
    sure = found.same < 1 - found.level
    low, high = min(told, key=lambda t: t[0]), max(told, key=lambda t: t[0])
    head = ("The scores do not mean the same for every group: one line does not serve them all"
            if sure else "The rows do not show that the scores mean different things for the groups")
    said = [f"{head} (p {_p(found.same)}).",
            f"Of 100 people scored {100 * score:.0f} %, about {_of(low[2])} are truly positive among {low[1]} and "
            f"{_of(high[2])} among {high[1]}."]
    off = [g for g in found.groups if not g.small and g.p_holm < 1 - found.level]
    if off:
        names = ", ".join(f"{g.label} ({_way(g)})" for g in off[:4]) + (f" and {len(off) - 4} more" if off[4:] else "")
        said.append(f"Further from what happens than chance explains: {names}.")
    else:
        said.append("In no group are the scores further from what happens than chance explains.")
    return said


def _rows(rows: Predictions, model: int) -> ScoredRows:
    if not 0 <= model < len(rows.models):
        raise BadInput("Model", repr(model), f"a number from 0 to {len(rows.models) - 1}", "choose a model")
    output = rows.models[model]
    if rows.y is None or len(rows.classes) != 2:
        raise BadInput("Labels", "none" if rows.y is None else f"{len(rows.classes)} classes", "two classes",
                       "name the label and its positive class")
    if output.score is None:
        raise BadInput(f"Model {output.name}", "predictions alone", "scores", "choose a model with scores")
    if not output.probability:
        raise BadInput(f"Scores {output.name}", "points", "probabilities",
                       "points say who comes first, not how likely something is")
    w = np.ones(rows.n) if rows.w is None else rows.w
    unit = np.arange(rows.n) if rows.person is None else rows.person
    score, y = np.tile(np.asarray(output.score), 2), np.tile(rows.y.astype(np.float64), 2)
    code = np.concatenate([rows.groups.code, np.full(rows.n, rows.n_attrs)])
    both = np.concatenate([unit, unit + int(unit.max()) + 1])  # everyone's errors are never set against a group's
    return ScoredRows(score, y, np.tile(w, 2), code, both, rows.n_attrs + 1)


def _spread(made: ScoredRows, lines: np.ndarray, distance: np.ndarray, large: np.ndarray) -> np.ndarray:
    """(3 G, 3 G) covariance of intercept, slope and `large` of all groups; persons may tie groups together."""
    total = np.where(made.total() > 0, made.total(), 1.0)
    third = made.w * (distance - large[made.code]) / total[made.code]
    shares = np.column_stack([line_shares(made, lines), third])
    cell = made.code[:, None] * 3 + np.arange(3)
    spread = made.per_unit(shares, cell, 3 * made.groups)
    at = np.arange(made.groups) * 3 + 2
    spread[at, at] = np.maximum(spread[at, at], _floor(made, made.code, made.groups) / total**2)
    return spread


def _floor(made: ScoredRows, cell: np.ndarray, cells: int) -> np.ndarray:
    """(cells,) variance of the weighted sums of distances if every score were right: no sample makes it vanish."""
    return np.bincount(cell, made.w**2 * made.score * (1 - made.score), cells)


def _bins(made: ScoredRows, bins: np.ndarray) -> np.ndarray:
    """(N,) number of the bin of equal mass within the group, as the metric `ece` cuts them; bins: (G,) how many."""
    scored = Scored(made.score, made.y.astype(np.int64), made.code, made.groups, made.w)
    out = np.zeros(len(made.score), np.int64)
    for g, own in enumerate(group_ties(scored)):
        if own is not None:
            mass = np.add(*own.mass(made.w[None], scored.y))[0]
            place = np.minimum((middle(mass) / mass.sum() * bins[g]).astype(np.int64), bins[g] - 1)
            out[own.rows] = np.repeat(place, np.diff([*own.start, len(own.rows)]))
    return out


def _errors(made: ScoredRows, distance: np.ndarray, level: float, rng: np.random.Generator) -> _Errors:
    """The calibration error of every group with what chance adds.

    The bins' mean distances S_b are about normal. The error sum |S_b| is off the true one by at most sum |noise_b|,
    which gives the lower end; with the true signs it is at least the true error plus a normal error, which gives the
    upper end. Both hold whatever the true error is, zero included, where a bootstrap fails (own derivation).
    """
    cells = made.groups * BINS
    cell = made.code * BINS + _bins(made, np.full(made.groups, BINS))
    mass, total = np.bincount(cell, made.w, cells), made.total()
    total = np.where(total > 0, total, np.nan)
    sums = np.bincount(cell, made.w * distance, cells)
    centre = np.divide(sums, mass, out=np.zeros(cells), where=mass > 0)
    covariance = made.per_unit(made.w * (distance - centre[cell]), cell, cells)
    floor = _floor(made, cell, cells)
    out = np.full((6, made.groups), np.nan)
    z, draws = NormalDist().inv_cdf((1 + level) / 2), max(DRAWS, 100 * made.groups)
    for g in np.flatnonzero(np.isfinite(total)):
        here = slice(g * BINS, (g + 1) * BINS)
        own = covariance[here, here].copy()
        np.fill_diagonal(own, np.maximum(own.diagonal(), floor[here]))
        own /= total[g] ** 2
        mean = sums[here] / total[g]
        error, sign = float(np.abs(mean).sum()), np.sign(mean)
        noise = rng.standard_normal((draws, BINS)) @ _root(own)
        alone = np.abs(noise).sum(1)
        bias = float(np.abs(mean + noise).sum(1).mean()) - error
        top = error + z * math.sqrt(max(float(sign @ own @ sign), 0.0))
        low = max(error - float(np.quantile(alone, (1 + level) / 2)), 0.0)
        p = (1 + int((alone >= error).sum())) / (draws + 1)
        out[:, g] = error, low, min(top, 1.0), max(error - bias, 0.0), p, float(alone.mean())
    return _Errors(*out)


def _root(covariance: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(covariance)
    return (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T


def _values(made: ScoredRows, large: np.ndarray, lines: np.ndarray, reasons: Sequence[str | None],
            spread: np.ndarray, level: float) -> list[tuple[Value, Value, Value, Value]]:
    """For each group: share, large, slope, intercept."""
    share = cell_rates(made.y, made.code, made.groups, made.w, made.persons, level)
    out = []
    for k, why in enumerate(reasons):
        rows, gone = float(share.n[k]), None if share.n[k] else "no rows"
        at = spread.diagonal()[3 * k: 3 * k + 3]
        out.append((
            Value(float(share.value[k]), float(share.low[k]), float(share.high[k]), float(share.effective[k]), gone,
                  "Wilson"),
            _normal_value(large[k], at[2], rows, gone, level), _normal_value(lines[k, 1], at[1], rows, why, level),
            _normal_value(lines[k, 0], at[0], rows, why, level)))
    return out


def _normal_value(value: float, variance: float, n: float, undefined: str | None, level: float) -> Value:
    if undefined is not None:
        return Value(math.nan, math.nan, math.nan, n, undefined, "")
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(max(float(variance), 0.0))
    return Value(float(value), float(value) - half, float(value) + half, n, None, SANDWICH)


def _apart(parts: Sequence[GroupCalibration], spread: np.ndarray, reference: int, level: float) -> tuple[Apart, ...]:
    others = [k for k in range(len(parts)) if k != reference]
    base = parts[reference]
    out = []
    for k in others:
        both = []
        for place, name in ((2, "large"), (1, "slope")):
            i, j = 3 * k + place, 3 * reference + place
            one, two = getattr(parts[k], name), getattr(base, name)
            why = one.undefined or (two.undefined and f"{base.label}: {two.undefined}")
            variance = spread[i, i] + spread[j, j] - 2 * spread[i, j]
            both.append(_normal_value(one.value - two.value, variance, one.n + two.n, why or None, level))
        out.append((parts[k].label, both))
    p = [adjusted([_two_sided(both[i], level) for _, both in out]) for i in (0, 1)]
    return tuple(Apart(label, base.label, both[0], both[1], p[0][k], p[1][k]) for k, (label, both) in enumerate(out))


def _two_sided(value: Value, level: float) -> float:
    half = (value.high - value.low) / 2
    if not math.isfinite(half):
        return math.nan
    if half == 0:
        return 1.0 if value.value == 0 else 0.0
    return 2 * NormalDist().cdf(-abs(value.value) / half * NormalDist().inv_cdf((1 + level) / 2))


def _same(lines: np.ndarray, spread: np.ndarray, usable: Sequence[int]) -> float:
    """Wald's test that intercepts and slopes of the usable groups agree."""
    if len(usable) < 2:
        return math.nan
    from scipy.stats import chi2

    keep = np.array([[2 * k, 2 * k + 1] for k in usable]).ravel()
    contrast = np.kron(np.column_stack([-np.ones(len(usable) - 1), np.eye(len(usable) - 1)]), np.eye(2))
    apart = contrast @ lines[usable].ravel()
    inside = contrast @ spread[np.ix_(keep, keep)] @ contrast.T
    return float(chi2.sf(apart @ np.linalg.pinv(inside, hermitian=True) @ apart, len(apart)))


def _p(p: float) -> str:
    return "below 0.001" if p < 0.001 else f"{p:.3f}"


def _of(value: Value) -> str:
    return f"{100 * value.value:.0f} ({100 * value.low:.0f} to {100 * value.high:.0f})"


def _way(group: GroupCalibration) -> str:
    large = group.large
    if large.low > 0:
        return "scores too high"
    if large.high < 0:
        return "scores too low"
    if group.slope.undefined is None and group.slope.high < 1:
        return "scores too extreme"
    timid = group.slope.undefined is None and group.slope.low > 1
    return "scores too timid" if timid else "too high here, too low there"
