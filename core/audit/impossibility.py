"""Could the error rates and the predictive value all be equal at once? The arithmetic of one model's own numbers.

In any group with base rate p, and exactly on any table of counts,

    FPR = p / (1 - p) * (1 - PPV) / PPV * TPR

So two groups with other base rates cannot share PPV, TPR and FPR, except where nobody is wrongly selected (PPV 1) or
nobody rightly (TPR 0). Sources: Chouldechova 2017 (this relation); Kleinberg, Mullainathan & Raghavan 2016 (the same
for calibrated scores, where perfect prediction is the way out).

Two of the three are set to the value over everyone; the third then follows for every group from its base rate. A value
above 1 cannot be had by any rule. A groups.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.audit.alike import group_means
from core.audit.numbers import count_table, draw_worlds
from core.gaps import gap_interval
from core.inference import effective_n, interval, wilson
from core.types import BadInput, Predictions, Value

RATES = {"tpr": "True positive rate", "fpr": "False positive rate", "ppv": "Precision"}
UNDEFINED = {"tpr": "0 positives", "fpr": "0 negatives", "ppv": "0 selected"}
VERDICTS = {"no": "not all three", "free": "nobody is wrongly selected", "nobody": "nobody is rightly selected",
            "cannot tell": "the base rates may be equal", "one group": "fewer than two groups to compare"}


@dataclass(frozen=True)
class GroupSum:
    """One group: rows, whether it is small, base rate, its rates by slug, the rate that it `needs` where the other two
    are those of everyone, and how far the relation is from exact on its counts (NaN where a rate is undefined)."""

    label: str
    n: int
    small: bool
    base: Value
    rates: Mapping[str, Value]
    needs: Value
    residual: float


@dataclass(frozen=True)
class Impossibility:
    """The answer.

    Args:
        verdict: one of `VERDICTS`. given_up: the rate that follows from the other two (`targets`, with it, over
            everyone). groups: all; `base_gap` and `needs_gap` are the largest differences between the groups with
            enough rows, `between` which two differ most in their base rates, `left_out` the others as (label, reason).
        impossible: labels of groups that would need more than 100 %. false_positives: share wrongly selected of all
            those selected, with its interval.
    """

    verdict: str
    given_up: str
    targets: Mapping[str, float]
    groups: tuple[GroupSum, ...]
    base_gap: Value
    needs_gap: Value
    between: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    impossible: tuple[str, ...]
    false_positives: Value


def rates_of(counts: np.ndarray) -> dict[str, np.ndarray]:
    """Base rate "base" and the three rates from (..., 2, 2) counts (rows true, columns predicted); NaN for 0/0."""
    tn, fp, fn, tp = (counts[..., i, j] for i in (0, 1) for j in (0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return {"base": (tp + fn) / (tn + fp + fn + tp), "tpr": tp / (tp + fn), "fpr": fp / (fp + tn),
                "ppv": tp / (tp + fp)}


def needed(given_up: str, base: np.ndarray, tpr: np.ndarray, fpr: np.ndarray, ppv: np.ndarray) -> np.ndarray:
    """The rate that follows from base rate and the other two, for any shapes that broadcast; NaN where none does.

    Args:
        given_up: "fpr", "tpr" or "ppv", whose argument is not used.

    >>> round(float(needed("fpr", np.array(0.5), np.array(0.8), np.array(np.nan), np.array(0.8))), 6)
    0.2
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = base / (1 - base)
        if given_up == "fpr":
            found = odds * (1 - ppv) / ppv * tpr
        elif given_up == "tpr":
            found = fpr / odds * ppv / (1 - ppv)
        elif given_up == "ppv":
            found = base * tpr / (base * tpr + (1 - base) * fpr)
        else:
            raise BadInput("Rate given up", repr(given_up), "one of " + ", ".join(RATES), "use fpr")
    return np.where(np.isfinite(found), found, np.nan)


def impossibility(rows: Predictions, model: int = 0, given_up: str = "fpr", draws: int = 2000,
                  seed: int = 0) -> Impossibility:
    """Whether one model's three rates can be equal in all groups, and what one of them would have to be.

    Raises BadInput without labels of two classes or without predictions. Weights and persons count in every interval.
    """
    if rows.y is None or len(rows.classes) != 2:
        raise BadInput("Arithmetic of rates", "no labels" if rows.y is None else f"{len(rows.classes)} classes",
                       "labels of two classes", "choose a label of two classes")
    if rows.models[model].pred is None:
        raise BadInput("Arithmetic of rates", "scores without a threshold", "predictions", "give a threshold")
    counts, worlds = count_table(rows, model), draw_worlds(rows, model, draws, np.random.default_rng(seed))
    whole, drawn = rates_of(counts.sum(0)), rates_of(worlds.sum(1))
    found, noise = rates_of(counts), rates_of(worlds)
    needs = needed(given_up, found["base"], whole["tpr"], whole["fpr"], whole["ppv"])
    need_worlds = needed(given_up, noise["base"], *(drawn[r][:, None] for r in ("tpr", "fpr", "ppv")))
    base = group_means(rows.y.astype(float), rows.w, rows.groups.code, rows.n_attrs, rows.person, rows.spec.level)
    sizes = np.bincount(rows.groups.code, minlength=rows.n_attrs)
    each = {slug: _rate(slug, rows, model) for slug in RATES}
    groups = tuple(
        GroupSum(label, int(sizes[g]), bool(sizes[g] < rows.spec.min_n), _value(base, g, ""),
                 {slug: _value(each[slug], g, UNDEFINED[slug]) for slug in RATES},
                 _needs(needs[g], need_worlds[:, g], float(base[3][g]), given_up, found["base"][g], whole, rows),
                 _residual(found, g))
        for g, label in enumerate(rows.groups.labels))
    keep = np.flatnonzero(sizes >= max(rows.spec.min_n, 1))
    left_out = tuple((g.label, f"{g.n} rows, fewer than {rows.spec.min_n}") for g in groups if g.small)
    base_gap, between = _base_gap(base, keep, rows)
    wrong = _false_positives(rows, model)
    return Impossibility(
        _verdict(base_gap, counts[keep], len(keep)), given_up, {slug: float(whole[slug]) for slug in RATES}, groups,
        base_gap, _needs_gap(needs[keep], need_worlds[:, keep], base_gap, rows), between, left_out,
        tuple(groups[g].label for g in keep.tolist() if needs[g] > 1), wrong)


def _verdict(base_gap: Value, counts: np.ndarray, groups: int) -> str:
    if groups < 2:
        return "one group"
    if counts[:, 1, 1].sum() == 0:
        return "nobody"
    if counts[:, 0, 1].sum() == 0:
        return "free"
    return "no" if base_gap.low > 0 else "cannot tell"


def _rate(slug: str, rows: Predictions, model: int) -> tuple[np.ndarray, ...]:
    """value, low, high, n (A + 1,) of one rate over the rows that it speaks of."""
    y, pred = np.asarray(rows.y), np.asarray(rows.models[model].pred)
    who, what = {"tpr": (y == 1, pred), "fpr": (y == 0, pred), "ppv": (pred == 1, y)}[slug]
    w, person = (None if v is None else v[who] for v in (rows.w, rows.person))
    return group_means(what[who].astype(float), w, rows.groups.code[who], rows.n_attrs, person, rows.spec.level)


def _value(four: tuple[np.ndarray, ...], g: int, reason: str) -> Value:
    value, low, high, n = (float(x[g]) for x in four)
    if not math.isfinite(value):
        return Value(math.nan, math.nan, math.nan, 0.0, reason, "")
    return Value(value, low, high, n, None, "Wilson")


def _needs(value: float, worlds: np.ndarray, n: float, given_up: str, base: float, whole: Mapping[str, np.ndarray],
           rows: Predictions) -> Value:
    """The rate that a group would need, or why none follows."""
    others = [slug for slug in RATES if slug != given_up]
    lost = [f"{RATES[slug].lower()} over everyone: {UNDEFINED[slug]}" for slug in others if np.isnan(whole[slug])]
    if np.isfinite(value) and 0 < base < 1:
        low, high = interval(worlds, rows.spec.level)
        return Value(float(value), float(low), float(high), n, None, _how(rows))
    reason = lost[0] if lost else "0 positives" if base == 0 else "0 negatives" if base == 1 else "it is not bound"
    return Value(math.nan, math.nan, math.nan, n, reason, "")


def _how(rows: Predictions) -> str:
    return "bootstrap of persons" if rows.person is not None else "bootstrap"


def _residual(found: Mapping[str, np.ndarray], g: int) -> float:
    """How far the relation is from exact on the group's counts."""
    base, tpr, fpr, ppv = (found[k][g] for k in ("base", "tpr", "fpr", "ppv"))
    return float(fpr - needed("fpr", base, tpr, fpr, ppv))


def _base_gap(base: tuple[np.ndarray, ...], keep: np.ndarray, rows: Predictions) -> tuple[Value, tuple[str, ...]]:
    if len(keep) < 2:
        return Value(math.nan, math.nan, math.nan, 0.0, "fewer than two groups with enough rows", ""), ()
    value, n = base[0][:-1][keep], base[3][:-1][keep]
    low, high = gap_interval(value, n, rows.spec.level)
    ends = tuple(rows.groups.labels[keep[k]] for k in (int(value.argmin()), int(value.argmax())))
    return Value(float(np.ptp(value)), float(low), float(high), float(n.sum()), None,
                 "pairs of groups (Newcombe)"), ends


def _needs_gap(needs: np.ndarray, worlds: np.ndarray, base_gap: Value, rows: Predictions) -> Value:
    """The largest difference between what groups need; it is 0 where base rates may be equal."""
    known = np.isfinite(needs)
    if known.sum() < 2:
        return Value(math.nan, math.nan, math.nan, 0.0, "fewer than two groups with a defined rate", "")
    low, high = (float(end) for end in interval(np.ptp(worlds[:, known], axis=1), rows.spec.level))
    return Value(float(np.ptp(needs[known])), low if base_gap.low > 0 else 0.0, high, base_gap.n, None, _how(rows))


def _false_positives(rows: Predictions, model: int) -> Value:
    """1 - PPV over everyone: what keeps the three rates apart."""
    y, pred = np.asarray(rows.y), np.asarray(rows.models[model].pred)
    who = pred == 1
    if not who.any():
        return Value(math.nan, math.nan, math.nan, 0.0, "0 selected", "")
    if rows.person is None:
        w = np.ones(int(who.sum())) if rows.w is None else rows.w[who]
        share, n = float(np.average(y[who] == 0, weights=w)), float(effective_n(w))
        low, high = wilson(share * n, n, rows.spec.level)
        return Value(share, float(low), float(high), n, None, "Wilson")
    w = None if rows.w is None else rows.w[who]
    four = group_means((y[who] == 0).astype(float), w, np.zeros(int(who.sum()), np.int64), 1, rows.person[who],
                       rows.spec.level)
    return _value(four, 0, "")
