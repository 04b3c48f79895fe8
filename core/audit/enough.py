"""Are there enough rows: how small a gap each group's rows can show, how many more it would take, and estimates that
borrow strength where they are few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.audit.numbers import CELLS, count_table
from core.power import least_difference, power_of, rows_beside, rows_each
from core.shrinkage import shrink
from core.types import BadInput, Predictions, Value

RATES = ("accuracy", "tpr", "fpr", "selection_rate", "fnr", "tnr", "ppv")


@dataclass(frozen=True)
class GroupRows:
    """One group against everybody else.

    n: rows; behind: (effective) rows behind the rate; share: behind / n; raw and shrunken: the rate with intervals
    (`shrunken` undefined with fewer than two groups); weight: share of the common rate in the shrunken one;
    least: smallest gap its rows would show beside the others', NaN if none; power: chance that a gap of the asked size
    is seen; needed: rows of the group for the asked gap beside the others' present rows, `inf` where none suffice.
    """

    group: str
    n: int
    behind: float
    share: float
    raw: Value
    shrunken: Value
    weight: float
    least: float
    power: float
    needed: float


@dataclass(frozen=True)
class Enough:
    """groups: one line each; gap, power, level: what was asked; each: rows behind the rate that every one of two equal
    groups would need; common, spread: of the rates between groups (NaN with one group)."""

    slug: str
    groups: tuple[GroupRows, ...]
    gap: float
    power: float
    level: float
    each: float
    common: float
    spread: float


def enough(rows: Predictions, model: int, slug: str, gap: float = 0.1, power: float = 0.8) -> Enough:
    """How much the rows at hand can say about a gap of this size between each group and everybody else.

    Args:
        slug: one of RATES ("selection_rate" alone without labels). gap: the difference that matters, 0 to 1.
        power: chance of seeing it. Tests are two-sided at rows.spec.level, Bonferroni over the groups.

    Raises:
        BadInput: another rate, classes that are not two (but accuracy), a gap outside (0, 1), no predictions.
    """
    _check(rows, model, slug, gap)
    rate, behind, n = _rates(rows, model, slug)
    events = np.nan_to_num(rate) * behind
    compared = max(1, int((behind > 0).sum()) - (int((behind > 0).sum()) == 2))
    strict = 1 - (1 - rows.spec.level) / compared
    rest = np.maximum(behind.sum() - behind, 0.0)
    others = np.divide(events.sum() - events, rest, out=np.full(len(rest), np.nan), where=rest > 0)
    asked = np.where(others + gap <= 1, others + gap, others - gap)  # away from the others' rate, inside 0 to 1
    usable = np.isfinite(others) & (asked >= 0)
    q, p = np.where(usable, others, 0.5), np.where(usable, asked, 0.5)
    least = np.where(usable, least_difference(behind, q, rest, power, strict), np.nan)
    chance = np.where(usable, power_of(p, behind, q, rest, strict), np.nan)
    size = np.where(usable, rows_beside(p, q, rest, power, strict), np.nan)
    share = np.divide(behind, n, out=np.full(len(n), np.nan), where=(n > 0) & (behind > 0))
    needed = np.ceil(size / share)
    raw, shrunken, weight, common, spread = _both(rows, rate, behind)
    overall = events.sum() / behind.sum() if behind.sum() > 0 else 0.5
    far = overall + gap if overall + gap <= 1 else overall - gap
    lines = tuple(GroupRows(label, int(n[g]), float(behind[g]), float(share[g]), raw[g], shrunken[g], float(weight[g]),
                            float(least[g]), float(chance[g]), float(needed[g]))
                  for g, label in enumerate(rows.groups.labels))
    each = float(rows_each(overall, far, power, strict)) if far >= 0 else float("nan")
    return Enough(slug, lines, gap, power, strict, each, common, spread)


def _check(rows: Predictions, model: int, slug: str, gap: float) -> None:
    known = RATES if rows.y is not None else ("selection_rate",)
    if len(rows.classes) != 2:
        known = ("accuracy",)
    if slug not in known:
        raise BadInput("Rate", repr(slug), "one of " + ", ".join(known), "choose again")
    if rows.models[model].pred is None:
        raise BadInput("Predictions", "scores without a threshold", "a threshold", "give one")
    if not 0 < gap < 1:
        raise BadInput("Gap", f"{gap:g}", "a number between 0 and 1", "use 0.1")


def _rates(rows: Predictions, model: int, slug: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(A,) rate, (effective) rows behind it, rows of the group."""
    counts, squares = (count_table(rows, model, squared) for squared in (False, True))
    c = counts.shape[-1]
    masks = (np.eye(c), np.ones((c, c))) if slug == "accuracy" else CELLS[slug]
    event, under = (np.asarray(m, dtype=np.float64) for m in masks)
    mass, square = (counts * under).sum((-2, -1)), (squares * under).sum((-2, -1))
    rate = np.divide((counts * event).sum((-2, -1)), mass, out=np.full(len(mass), np.nan), where=mass > 0)
    behind = np.divide(mass**2, square, out=np.zeros_like(mass), where=square > 0)
    if rows.person is not None:
        behind = behind / _repeats(rows)
    return rate, behind, np.bincount(rows.groups.code, minlength=rows.n_attrs)


def _repeats(rows: Predictions) -> np.ndarray:
    """(A,) the largest design effect that several rows of one person can have in each group."""
    pair = rows.groups.code * (int(rows.person.max()) + 1) + rows.person  # type: ignore[union-attr,operator]
    cells, times = np.unique(pair, return_counts=True)
    group = cells // (int(rows.person.max()) + 1)  # type: ignore[union-attr]
    square, plain = (np.bincount(group, times.astype(float)**power, rows.n_attrs) for power in (2, 1))
    return np.divide(square, plain, out=np.ones(rows.n_attrs), where=plain > 0)


def _both(rows: Predictions, rate: np.ndarray, behind: np.ndarray):
    """Raw and shrunken values of every group, the common rate's weight in each, the common rate, the spread."""
    from core.inference import wilson

    level, gone = rows.spec.level, "no rows behind the rate"
    how = "Wilson" + ", for persons" * (rows.person is not None)
    low, high = wilson(np.nan_to_num(rate) * behind, behind, level)
    raw = [Value(float(rate[g]), float(low[g]), float(high[g]), float(behind[g]), None if behind[g] > 0 else gone,
                 how) for g in range(len(rate))]
    if (behind > 0).sum() < 2:
        none = Value(float("nan"), float("nan"), float("nan"), 0.0, "one group, nothing to borrow from")
        return raw, [none] * len(rate), np.full(len(rate), np.nan), float("nan"), float("nan")
    found = shrink(np.clip(np.nan_to_num(rate), 0, 1) * behind, behind, level)
    shrunken = [Value(float(found.mean[g]), float(found.low[g]), float(found.high[g]), float(behind[g]),
                      None if behind[g] > 0 else gone, "hierarchical beta-binomial") for g in range(len(rate))]
    return raw, shrunken, found.weight, found.common, found.spread
