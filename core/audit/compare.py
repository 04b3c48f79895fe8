"""Two models on the same rows: what each group gains or loses, paired, and how the gaps between groups change."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core import registry
from core.audit.numbers import CELLS, DRAW_BYTES, draw_person_cells, redrawn
from core.audit.sentences import adjusted
from core.inference import interval, normal_quantile, wilson
from core.metrics.reduce import reduce
from core.paired import auc_covariance, auc_difference, mcnemar, p_of, paired_difference
from core.types import BadInput, Metric, Predictions, Value

COMPARED = ("accuracy", "tpr", "fpr", "selection_rate", "ppv", "balanced_accuracy", "f1", "mcc")
SEVERAL = ("accuracy", "balanced_accuracy", "f1_macro")
PAIRED = ("accuracy", "tpr", "fpr", "selection_rate")  # the rows behind the rate are the same for both models
BETWEEN = ("gap", "worst")
MOST_CLASSES = 12


@dataclass(frozen=True)
class Line:
    """One metric of one group (or of everyone) under both models.

    a, b: the values; difference: b - a with its paired interval; p: of no difference, p_holm: Holm's over the groups
    (NaN for everyone). better: True where b is better beyond chance, False where worse, None where chance could do it
    or no direction is better.
    """

    group: str
    n: int
    slug: str
    a: float
    b: float
    difference: Value
    p: float
    p_holm: float
    better: bool | None


@dataclass(frozen=True)
class Between:
    """A gap or the worst group under both models. key: "tpr.gap"; difference: b - a."""

    key: str
    a: float
    b: float
    difference: Value


@dataclass(frozen=True)
class Comparison:
    """names: the two models; lines: everyone last within each metric; between: gaps and worst groups; changed: share
    of rows that get another class, by group label ("everyone" last)."""

    names: tuple[str, str]
    lines: tuple[Line, ...]
    between: tuple[Between, ...]
    changed: tuple[tuple[str, Value], ...]


def compare(rows: Predictions, a: int, b: int, draws: int = 2000, seed: int = 0) -> Comparison:
    """Compare model b with model a.

    Args:
        rows: checked rows with labels and at least two models. a, b: places among rows.models.
        draws: bootstrap worlds, in which both models meet the same rows. seed: of the draws.

    Returns:
        Comparison. Rates over the same rows (accuracy, TPR, FPR, selection) have Newcombe's paired interval and
        McNemar's test, areas DeLong's; all else, and all rows of repeated persons, the paired bootstrap.

    Raises:
        BadInput: no labels, the same model twice, or models without classes and scores.
    """
    if rows.y is None:
        raise BadInput("Labels", "none", "a column of true labels", "choose it to compare models")
    if a == b or not all(0 <= k < len(rows.models) for k in (a, b)):
        raise BadInput("Models", f"{a} and {b}", f"two of 0 to {len(rows.models) - 1}", "choose two models")
    one, other, rng = rows.models[a], rows.models[b], np.random.default_rng(seed)
    lines: list[Line] = []
    between: list[Between] = []
    changed: tuple[tuple[str, Value], ...] = ()
    if one.pred is not None and other.pred is not None and len(rows.classes) <= MOST_CLASSES:
        tables = _Tables.of(rows, one.pred, other.pred, draws, rng)
        for slug in COMPARED if len(rows.classes) == 2 else SEVERAL:
            found, gaps = _metric(rows, registry.metric(slug), tables)
            lines += found
            between += gaps
        changed = _changed(rows, tables)
    if one.score is not None and other.score is not None and len(rows.classes) == 2:
        lines += _areas(rows, one.score, other.score)
    if not lines:
        raise BadInput("Models", "nothing that both have", "classes of both, or scores of both", "give a threshold")
    return Comparison((one.name, other.name), tuple(lines), tuple(between), changed)


@dataclass(frozen=True)
class _Tables:
    """joint: (A + 1, C, C, C) true x class under a x class under b, everyone last; squares: of squared weights;
    worlds: (D, A + 1, C, C, C)."""

    joint: np.ndarray
    squares: np.ndarray
    worlds: np.ndarray

    @staticmethod
    def of(rows: Predictions, pred_a: np.ndarray, pred_b: np.ndarray, draws: int,
           rng: np.random.Generator) -> _Tables:
        c, groups = len(rows.classes), rows.n_attrs
        cell = ((rows.groups.code * c + np.asarray(rows.y)) * c + pred_a) * c + pred_b
        w = np.ones(rows.n) if rows.w is None else rows.w
        joint, squares = (np.bincount(cell, weight, groups * c**3).reshape(groups, c**3) for weight in (w, w**2))
        draws = int(np.clip(DRAW_BYTES // (8 * joint.size), min(draws, 100), draws))
        if rows.person is not None:
            worlds = draw_person_cells(rows, cell, groups * c**3, draws, rng).reshape(draws, groups, c**3)
        else:
            mass = joint.sum(1)
            size = np.maximum(np.rint(mass**2 / squares.sum(1)), 1).astype(np.int64)
            worlds = rng.multinomial(size, joint / mass[:, None], size=(draws, groups)) * (mass / size)[:, None]
        shape = (groups, c, c, c)
        return _Tables(*(_everyone(t.reshape(*t.shape[:-2], *shape)) for t in (joint, squares, worlds)))


def _everyone(table: np.ndarray) -> np.ndarray:
    return np.concatenate([table, table.sum(-4, keepdims=True)], axis=-4)


def _metric(rows: Predictions, metric: Metric, t: _Tables) -> tuple[list[Line], list[Between]]:
    a, b = metric.of(t.joint.sum(-1)), metric.of(t.joint.sum(-2))
    drawn_a, drawn_b = (redrawn(metric.of(t.worlds.sum(axis)), v) for axis, v in ((-1, a), (-2, b)))
    difference = b - a
    closed = metric.name in PAIRED and rows.person is None
    if closed:
        low, high, p, n = _closed(metric, t, rows.spec.level)
    else:
        low, high = interval(drawn_b - drawn_a, rows.spec.level)
        p, n = _share_beyond(drawn_b - drawn_a), _rows_behind(t)
    how = "paired (Newcombe), McNemar" if closed else "paired bootstrap" + " of persons" * (rows.person is not None)
    p = np.where(np.isfinite(difference), p, np.nan)
    lines = _lines(rows, metric, a, b, _Paired(difference, low, high, p, n), how)
    between = [_between(metric, how, rows, a, b, drawn_a, drawn_b) for how in BETWEEN
               if rows.n_attrs > 1 and not (how == "worst" and metric.higher_is_better is None)]
    return lines, [found for found in between if found is not None]


@dataclass(frozen=True)
class _Paired:
    """(A + 1,) each: the difference, its interval, its p-value and the rows behind it."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    n: np.ndarray


def _lines(rows: Predictions, metric: Metric, a: np.ndarray, b: np.ndarray, d: _Paired, how: str) -> list[Line]:
    sizes = np.append(np.bincount(rows.groups.code, minlength=rows.n_attrs), rows.n)
    holm = [*adjusted(d.p[:-1].tolist()), math.nan]
    out = []
    for g, label in enumerate((*rows.groups.labels, "everyone")):
        gone = not np.isfinite(d.value[g])
        value = Value(float(d.value[g]), float(d.low[g]), float(d.high[g]), float(d.n[g]),
                      metric.undefined if gone else None, "" if gone else how)
        p = d.p[g] if g == rows.n_attrs else holm[g]
        sure = bool(p < 1 - rows.spec.level) and metric.higher_is_better is not None
        better = bool((value.value > 0) == metric.higher_is_better) if sure else None
        out.append(Line(label, int(sizes[g]), metric.name, float(a[g]), float(b[g]), value, float(d.p[g]),
                        float(holm[g]), better))
    return out


def _closed(metric: Metric, t: _Tables, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Newcombe's interval and McNemar's p of a rate whose rows do not depend on the model."""
    c = t.joint.shape[-1]
    masks = (np.eye(c), np.ones((c, c))) if metric.name == "accuracy" else CELLS[metric.name]
    event, of = (np.asarray(m, dtype=np.float64) for m in masks)
    there = of[:, 0][:, None, None]  # the true class alone says which rows count
    mass, squares = ((table * there).sum((-3, -2, -1)) for table in (t.joint, t.squares))
    n = np.divide(mass**2, squares, out=np.zeros_like(mass), where=squares > 0)
    on_a, on_b = event[:, :, None], event[:, None, :]
    a, b, both = (np.divide((t.joint * there * w).sum((-3, -2, -1)), mass, out=np.zeros_like(mass), where=mass > 0)
                  for w in (on_a, on_b, on_a * on_b))
    low, high = paired_difference(a, b, both, n, level)
    return low, high, mcnemar((a - both) * n, (b - both) * n), n


def _between(metric: Metric, how: str, rows: Predictions, a: np.ndarray, b: np.ndarray, drawn_a: np.ndarray,
             drawn_b: np.ndarray) -> Between | None:
    """A reduction under both models over the groups in which both are defined (and large enough for the worst)."""
    inside = np.isfinite(a[:-1]) & np.isfinite(b[:-1])
    if how == "worst":
        inside &= np.bincount(rows.groups.code, minlength=rows.n_attrs) >= rows.spec.min_n
    if inside.sum() < 2:
        return None
    sides = [float(reduce(v[:-1][inside], how, metric.higher_is_better)) for v in (a, b)]
    drawn = [reduce(w[:, :-1][:, inside], how, metric.higher_is_better) for w in (drawn_a, drawn_b)]
    low, high = interval(drawn[1] - drawn[0], rows.spec.level)
    value = Value(sides[1] - sides[0], float(low), float(high), float(rows.n), None, "paired bootstrap")
    return Between(f"{metric.name}.{how}", sides[0], sides[1], value)


def _changed(rows: Predictions, t: _Tables) -> tuple[tuple[str, Value], ...]:
    """Shares of rows with another class under b."""
    other = 1 - np.eye(t.joint.shape[-1])
    mass, squares = t.joint.sum((-3, -2, -1)), t.squares.sum((-3, -2, -1))
    n, share = mass**2 / squares, (t.joint * other).sum((-3, -2, -1)) / mass
    low, high = wilson(share * n, n, rows.spec.level)
    how = "Wilson"
    if rows.person is not None:
        drawn = (t.worlds * other).sum((-3, -2, -1)) / np.maximum(t.worlds.sum((-3, -2, -1)), 1e-300)
        (low, high), how = interval(drawn, rows.spec.level), "bootstrap of persons"
    return tuple((label, Value(float(share[g]), float(low[g]), float(high[g]), float(n[g]), None, how))
                 for g, label in enumerate((*rows.groups.labels, "everyone")))


def _areas(rows: Predictions, score_a: np.ndarray, score_b: np.ndarray) -> list[Line]:
    """Areas under the ROC curves, group by group; repeated persons widen the interval by their design effect."""
    y, w, metric = np.asarray(rows.y), rows.w, registry.metric("roc_auc")
    masks = [rows.groups.code == g for g in range(rows.n_attrs)] + [np.ones(rows.n, bool)]
    found, sides = [], []
    for here in masks:
        scores, weight = np.stack([score_a[here], score_b[here]]), None if w is None else w[here]
        found.append(_area_difference(rows, here, scores, y[here], weight))
        sides.append(auc_covariance(scores, y[here], weight)[0])
    difference, low, high, p = np.array(found).T
    n = np.array([m.sum() for m in masks], dtype=np.float64)
    a, b = np.array(sides).T
    how = "paired (DeLong)" + ", widened for rows of one person" * (rows.person is not None)
    return _lines(rows, metric, a, b, _Paired(difference, low, high, p, n), how)


def _area_difference(rows: Predictions, here: np.ndarray, scores: np.ndarray, y: np.ndarray,
                     w: np.ndarray | None) -> tuple[float, float, float, float]:
    difference, low, high, p = auc_difference(scores, y, w, rows.spec.level)
    if rows.person is None or not np.isfinite(low):
        return difference, low, high, p
    wide = math.sqrt(_repeats(rows.person[here]))
    low, high = difference - wide * (difference - low), difference + wide * (high - difference)
    half = (high - low) / 2
    return difference, low, high, p_of(difference, half / normal_quantile(rows.spec.level)) if half > 0 else p


def _repeats(person: np.ndarray) -> float:
    """The largest design effect that rows of one person can have: sum of squared rows per person over the rows."""
    each = np.unique(person, return_counts=True)[1].astype(np.float64)
    return float((each**2).sum() / each.sum())


def _rows_behind(t: _Tables) -> np.ndarray:
    mass, squares = t.joint.sum((-3, -2, -1)), t.squares.sum((-3, -2, -1))
    return mass**2 / squares


def _share_beyond(worlds: np.ndarray) -> np.ndarray:
    """(D, ...) differences -> two-sided p: twice the share of worlds on the other side of zero, never 0."""
    d = len(worlds)
    below, above = (np.sum(side, axis=0) for side in (worlds <= 0, worlds >= 0))
    return np.minimum(1.0, 2 * (np.minimum(below, above) + 1) / (d + 1))
