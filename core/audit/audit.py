"""An audit: every number of one model over everyone, in every group and between groups, with intervals and reasons."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.audit.numbers import Numbers, count_numbers, count_table, draw_worlds
from core.audit.score_numbers import score_numbers
from core.gaps import gap_interval, ratio_interval, worst_interval
from core.inference import interval
from core.metrics.reduce import COMPARISONS, extremes, reduce
from core.types import BadInput, Predictions, Value

HOWS = ("gap", "ratio", "worst", "mean", "to_overall", "to_reference")
NAMED = {"demographic_parity": "selection_rate", "equal_opportunity": "tpr", "predictive_equality": "fpr",
         "predictive_parity": "ppv", "accuracy_parity": "accuracy"}
PAIRS = "pairs of groups (Newcombe, Wilson)"
ODDS: Mapping[str, tuple[str, Callable[..., Any]]] = {
    "gap": ("gap", np.maximum), "mean": ("gap", lambda a, b: (a + b) / 2),
    "ratio": ("ratio", np.minimum)}  # fmt: skip


@dataclass(frozen=True)
class GroupRow:
    """One group: its label, parts (attribute -> value), rows, effective rows, whether it is small, counts by cell
    and metrics by slug."""

    label: str
    parts: Mapping[str, str]
    n: int
    n_effective: float
    small: bool
    counts: Mapping[str, float]
    metrics: Mapping[str, Value]


@dataclass(frozen=True)
class Reduction:
    """A number between groups: the groups it speaks of, and those left out as (label, reason)."""

    value: Value
    groups: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Audit:
    """Everything measured about one model. n: rows of the table; n_used: rows counted."""

    model: str
    n: int
    n_used: int
    excluded: tuple[tuple[str, int], ...]
    positive: str
    attrs: tuple[str, ...]
    overall: Mapping[str, Value]
    groups: tuple[GroupRow, ...]
    reductions: Mapping[str, Reduction]
    notes: tuple[str, ...] = ()
    level: float = 0.95
    reference: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain objects for JSON; undefined numbers are null beside their reason."""
        return {
            "model": self.model, "n": self.n, "n_used": self.n_used,
            "excluded": [{"reason": reason, "n": n} for reason, n in self.excluded],
            "positive": self.positive, "attrs": list(self.attrs), "level": self.level, "notes": list(self.notes),
            "overall": {slug: plain(v) for slug, v in self.overall.items()},
            "groups": [{"label": g.label, "group": dict(g.parts), "n": g.n, "n_effective": g.n_effective,
                        "small": g.small, "counts": dict(g.counts),
                        "metrics": {slug: plain(v) for slug, v in g.metrics.items()}} for g in self.groups],
            "reductions": {key: {**plain(r.value), "groups": list(r.groups),
                                 "left_out": [{"label": a, "reason": b} for a, b in r.left_out]}
                           for key, r in self.reductions.items()},
        }  # fmt: skip


def audit(rows: Predictions, model: int = 0, draws: int = 2000, seed: int = 0) -> Audit:
    """Measure one model.

    Args:
        rows: checked rows. model: which of rows.models. draws: bootstrap worlds. seed: of the draws.

    Returns:
        Audit. Raises BadInput where there is no such model.
    """
    if not 0 <= model < len(rows.models):
        raise BadInput("Model", repr(model), f"a number from 0 to {len(rows.models) - 1}", "choose a model")
    rng, output = np.random.default_rng(seed), rows.models[model]
    found: list[Numbers] = []
    if output.pred is not None:
        found += count_numbers(rows, model, draw_worlds(rows, model, draws, rng))
    found += score_numbers(rows, model, draws, rng)
    if not found:
        raise BadInput("Audit", "scores without a threshold and without labels", "a threshold or labels",
                       "give a threshold")
    groups = _groups(rows, model, found)
    reductions = {f"{m.metric.name}.{how}": _reduced(m, how, rows) for m in found for how in HOWS
                  if not (how == "worst" and m.metric.higher_is_better is None)}
    reductions |= _criteria(found, rows, reductions)
    return Audit(output.name, rows.n_total, rows.n, rows.excluded, rows.classes[1] if len(rows.classes) == 2 else "",
                 tuple(rows.spec.attributes), {m.metric.name: _value(m, -1) for m in found}, groups, reductions,
                 rows.notes, rows.spec.level, rows.groups.reference)


def plain(value: Value) -> dict[str, Any]:
    """A value for JSON: null for what is undefined."""
    number = {name: x if math.isfinite(x) else None for name, x in
              (("value", value.value), ("low", value.low), ("high", value.high), ("n", value.n))}
    return {**number, "undefined": value.undefined, "how": value.how}


def _value(m: Numbers, g: int) -> Value:
    if not np.isfinite(m.value[g]):
        return Value(math.nan, math.nan, math.nan, float(m.n[g]), m.metric.undefined, "")
    return Value(float(m.value[g]), float(m.low[g]), float(m.high[g]), float(m.n[g]), None, m.how)


def _groups(rows: Predictions, model: int, found: list[Numbers]) -> tuple[GroupRow, ...]:
    sizes = np.bincount(rows.groups.code, minlength=rows.n_attrs)
    mass = count_table(rows, model)
    square = count_table(rows, model, squared=True).sum((-2, -1))
    total = mass.sum((-2, -1))
    n_effective = np.divide(total**2, square, out=np.zeros_like(total), where=square > 0)
    counted = rows.models[model].pred is not None
    return tuple(GroupRow(label, rows.groups.parts[g], int(sizes[g]), float(n_effective[g]),
                          bool(sizes[g] < rows.spec.min_n), _cells(mass[g], rows) if counted else {},
                          {m.metric.name: _value(m, g) for m in found})
                 for g, label in enumerate(rows.groups.labels))


def _cells(table: np.ndarray, rows: Predictions) -> dict[str, float]:
    whole = [[int(v) if float(v).is_integer() else float(v) for v in line] for line in table]
    if rows.y is None:
        return {"selected": whole[0][1], "not selected": whole[0][0]}
    if len(rows.classes) == 2:
        return {"tp": whole[1][1], "fp": whole[0][1], "fn": whole[1][0], "tn": whole[0][0]}
    return {f"{a} → {b}": whole[i][j] for i, a in enumerate(rows.classes) for j, b in enumerate(rows.classes)}


def _left_out(m: Numbers, how: str, rows: Predictions) -> dict[int, str]:
    """Group number -> why it does not enter the reduction."""
    value = m.value[:-1]
    out = {int(g): m.metric.undefined for g in np.flatnonzero(~np.isfinite(value))}
    if how == "worst":
        sizes = np.bincount(rows.groups.code, minlength=rows.n_attrs)
        out |= {int(g): f"{sizes[g]} rows, fewer than {rows.spec.min_n}" for g in
                np.flatnonzero((sizes < rows.spec.min_n) & np.isfinite(value))}
    return dict(sorted(out.items()))


def _reduced(m: Numbers, how: str, rows: Predictions) -> Reduction:
    out, reference = _left_out(m, how, rows), rows.groups.reference
    inside = np.ones(rows.n_attrs, bool)
    inside[list(out)] = False
    value = np.where(inside, m.value[:-1], np.nan)
    better = m.metric.higher_is_better
    number = float(reduce(value, how, better, reference, m.value[-1]))
    named = tuple((rows.groups.labels[g], reason) for g, reason in out.items())
    if not np.isfinite(number):
        return Reduction(_undefined(_reason(m, how, rows, inside, out)), (), named)
    ends = extremes(value, how, better, reference, float(m.value[-1]))
    n, labels = float(m.n[:-1][inside].sum()), tuple(rows.groups.labels[g] for g in ends)
    honest = _paired(m, how, inside, rows)
    if honest is not None:
        return Reduction(Value(number, *honest, n, None, PAIRS), labels, named)
    low = high = math.nan
    if m.worlds is not None:
        worlds = np.where(inside, m.worlds[:, :-1], np.nan)
        drawn = reduce(worlds, how, better, reference, m.worlds[:, -1])
        drawn = np.where(np.isfinite(worlds[:, inside]).all(-1), drawn, np.nan)  # a lost group would shrink the gap
        low, high = (float(end) for end in interval(drawn, rows.spec.level))
    how_made = m.drawn if m.worlds is not None else m.how
    return Reduction(Value(number, low, high, n, None, how_made), labels, named)


def _paired(m: Numbers, how: str, inside: np.ndarray, rows: Predictions,
            among: int = 1) -> tuple[float, float] | None:
    """The closed-form interval of a gap, ratio or worst of rates of independent rows; None where there is none."""
    if m.how != "Wilson" or how not in ("gap", "ratio", "worst", "to_reference"):
        return None
    rate, n, level = m.value[:-1][inside], m.n[:-1][inside], rows.spec.level
    if how == "worst":
        found = worst_interval(rate, n, bool(m.metric.higher_is_better), level)
    elif how == "ratio":
        found = ratio_interval(rate, n, level, among=among)
    else:
        reference = int(inside[:rows.groups.reference].sum()) if how == "to_reference" else None
        found = gap_interval(rate, n, level, reference=reference, among=among)
    return float(found[0]), float(found[1])


def _reason(m: Numbers, how: str, rows: Predictions, inside: np.ndarray, out: Mapping[int, str]) -> str:
    if how in COMPARISONS and rows.n_attrs == 1:
        return "one group"
    if how == "to_reference" and not inside[rows.groups.reference]:
        return f"the reference group: {out[rows.groups.reference]}"
    if inside.sum() < (2 if how in COMPARISONS else 1):
        return ", ".join(dict.fromkeys(out.values()))
    return "nobody selected" if m.metric.name == "selection_rate" else "the value is 0 in every group"


def _undefined(reason: str) -> Value:
    return Value(math.nan, math.nan, math.nan, 0.0, reason, "")


def _criteria(found: list[Numbers], rows: Predictions, made: Mapping[str, Reduction]) -> dict[str, Reduction]:
    """The named criteria; an equalized-odds number with an undefined half is not computable."""
    named = {f"{name}.{how}": made[f"{slug}.{how}"] for name, slug in NAMED.items() for how in ("gap", "ratio")
             if f"{slug}.{how}" in made}
    by_name = {m.metric.name: m for m in found}
    if not {"tpr", "fpr"} <= by_name.keys():
        return named
    for how, (each, combine) in ODDS.items():
        halves = [made[f"{slug}.{each}"] for slug in ("tpr", "fpr")]
        out = tuple(dict.fromkeys(entry for half in halves for entry in half.left_out))
        reasons = dict.fromkeys(h.value.undefined for h in halves if h.value.undefined)
        if reasons:
            words = "one group" if "one group" in reasons else f"not computable: {', '.join(map(str, reasons))}"
            named[f"equalized_odds.{how}"] = Reduction(_undefined(words), (), out)
            continue
        values = [h.value.value for h in halves]
        larger = int(np.argmin(values) if how == "ratio" else np.argmax(values))
        value = Value(float(combine(*values)), *_odds_interval(how, each, by_name, rows), halves[larger].value.n, None,
                      halves[larger].value.how)
        named[f"equalized_odds.{how}"] = Reduction(value, halves[larger].groups, out)
    return named


def _odds_interval(how: str, each: str, by_name: Mapping[str, Numbers], rows: Predictions) -> tuple[float, float]:
    """From the halves' own intervals where they have closed forms, else from the worlds."""
    halves = [by_name[slug] for slug in ("tpr", "fpr")]
    inside = [np.isfinite(m.value[:-1]) for m in halves]
    ends = [_paired(m, each, here, rows, 1 if how == "mean" else 2) for m, here in zip(halves, inside, strict=True)]
    if any(end is None for end in ends):
        drawn = ODDS[how][1](*[_odds_worlds(m, each) for m in halves])
        return tuple(float(end) for end in interval(drawn, rows.spec.level))  # type: ignore[return-value]
    low, high = (np.array([end[side] for end in ends if end is not None]) for side in (0, 1))
    if how != "mean":
        pick = np.max if how == "gap" else np.min
        return float(pick(low)), float(pick(high))
    value = np.array([float(reduce(np.where(here, m.value[:-1], np.nan), each, None))
                      for m, here in zip(halves, inside, strict=True)])
    below, above = np.sqrt(((value - low) ** 2).sum()) / 2, np.sqrt(((high - value) ** 2).sum()) / 2
    return max(0.0, float(value.mean() - below)), min(1.0, float(value.mean() + above))


def _odds_worlds(m: Numbers, how: str) -> np.ndarray:
    """(D,) the half's gap or ratio in every world, over the groups in which it is defined."""
    if m.worlds is None:
        return np.full(1, np.nan)
    worlds = m.worlds[:, :-1][:, np.isfinite(m.value[:-1])]
    drawn = reduce(worlds, how, m.metric.higher_is_better)
    return np.where(np.isfinite(worlds).all(-1), drawn, np.nan)
