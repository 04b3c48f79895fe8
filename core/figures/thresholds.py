"""One model's thresholds: sweeps at every distinct score, the table of a chosen rule, and what thresholds could reach.

Two classes only. Scores are the probability of the positive class; the rule is score >= threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.counts import count_confusion, count_thresholds, partition, predict
from core.figures.shares import compared, share_rows
from core.figures.theme import EVERYONE, directed, empty_figure, new_figure, signs
from core.fronts import group_threshold_front, shared_threshold_front
from core.inference import bootstrap_counts, effective_n, interval, wilson
from core.metrics.measure import parse
from core.types import BadInput, Metric, Scores

DRAWN = 500
RATES = ("selection_rate", "accuracy", "tpr", "fpr", "ppv")
GAP_ROWS = ("gap", "ratio")
# what a fairness axis of the front asks of thresholds; the objective is what the other axis asks
GAP_OF = {"selection_rate.gap": "demographic_parity", "selection_rate.ratio": "demographic_parity",
          "tpr.gap": "equal_opportunity", "tpr.ratio": "equal_opportunity", "fnr.gap": "equal_opportunity",
          "fpr.gap": "predictive_equality", "fpr.ratio": "predictive_equality", "tnr.gap": "predictive_equality",
          "accuracy.gap": "accuracy_parity", "accuracy.ratio": "accuracy_parity", "error_rate.gap": "accuracy_parity",
          "equalized_odds.gap": "equalized_odds", "equalized_odds.mean": "equalized_odds",
          "equalized_odds.ratio": "equalized_odds", "accuracy.worst": "worst_group_error",
          "error_rate.worst": "worst_group_error"}
OBJECTIVE_OF = {"balanced_accuracy": "balanced_accuracy", "f1": "f1"}


def sweep_table(
    score: np.ndarray,
    y: np.ndarray,
    attr: np.ndarray,
    *,
    attr_labels: Sequence[str],
    metrics: Sequence[str] = ("accuracy",),
    weight: np.ndarray | None = None,
) -> pd.DataFrame:
    """Metrics of every group, and of everyone, at every distinct score: exact, nothing is left out.

    Args:
        score, y, attr, weight: (N,). metrics: names of metrics.

    Returns:
        metric, group ("everyone" last), threshold (ascending, `inf` selects nobody), value (NaN where undefined).
    """
    thresholds, counts = count_thresholds(score, y, attr, len(attr_labels), weight)
    groups = np.concatenate([counts, partition(counts, "all")], axis=1)
    labels, parts = [*attr_labels, EVERYONE], []
    for name in metrics:
        values = _metric(name).of(groups)
        parts.append(pd.DataFrame({
            "metric": name,
            "group": np.repeat(np.array(labels, dtype=object), len(thresholds)),
            "threshold": np.tile(thresholds, len(labels)),
            "value": values.T.ravel(),
        }))
    return pd.concat(parts, ignore_index=True)


def plot_sweep(
    table: pd.DataFrame,
    *,
    metric: str = "accuracy",
    thresholds: Mapping[str, float] | None = None,
    group_order: Sequence[str] = (),
) -> go.Figure:
    """One step line per group against the threshold; about 500 points of each line are drawn.

    Args:
        table: of `sweep_table`. thresholds: group -> chosen threshold, drawn as marked lines.
        group_order: all group labels, so that each keeps its colour.
    """
    known = _metric(metric)
    title = directed(known.title, known.higher_is_better, vertical=True)
    shown = table[(table["metric"] == metric) & np.isfinite(table["threshold"]) & table["value"].notna()]
    if shown.empty:
        return empty_figure("Nothing to draw: no rows, or undefined everywhere", "Threshold", title)
    figure, marks = new_figure("Threshold (score ≥ threshold is positive)", title), _marks(table, group_order)
    traces: list[go.Scatter] = []  # added at once: one by one, each would be checked against all before it
    lines: list[dict] = []
    for label, part in shown.groupby("group", sort=False):
        at, value = _thin(part["threshold"].to_numpy(), part["value"].to_numpy())
        sign = marks[str(label)]
        traces.append(go.Scatter(
            x=at, y=value, name=str(label), mode="lines", legendgroup=str(label),
            line={"color": sign.color, "dash": sign.plotly_dash, "shape": "vh", "width": 3 if label == EVERYONE else 2},
            hovertemplate=f"{label}<br>threshold %{{x:.3f}}<br>{known.title.lower()} %{{y:.3f}}<extra></extra>"))
        chosen = (thresholds or {}).get(str(label))
        if chosen is not None and np.isfinite(chosen):
            lines.append({"type": "line", "x0": chosen, "x1": chosen, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain",
                          "line": {"color": sign.color, "width": 1, "dash": "dot"}})
            index = min(np.searchsorted(part["threshold"].to_numpy(), chosen), len(part) - 1)
            traces.append(go.Scatter(
                x=[chosen], y=[part["value"].iloc[index]], mode="markers", showlegend=False, legendgroup=str(label),
                marker={"color": sign.color, "symbol": sign.shape, "size": 11},
                hovertemplate=f"{label}: chosen threshold %{{x:.3f}}<br>%{{y:.3f}}<extra></extra>"))
    figure.add_traces(traces)
    figure.update_layout(shapes=lines)
    return figure


def rule_table(
    score: np.ndarray,
    y: np.ndarray,
    attr: np.ndarray,
    thresholds: np.ndarray,
    *,
    attr_labels: Sequence[str],
    metrics: Sequence[str] = RATES,
    weight: np.ndarray | None = None,
    level: float = 0.95,
    draws: int = 200,
    seed: int = 0,
) -> pd.DataFrame:
    """What a rule does to every group.

    Args:
        thresholds: (A,), the rule is score >= thresholds[attr].
        draws: bootstrap worlds for the intervals of gaps and of metrics that are no rates (F1, ...).

    Returns:
        One row per group, then "everyone", "gap" and "ratio". Columns: group, kind ("group", "everyone", "gap",
        "ratio"), threshold, n, n_effective, selected (weight), and for every metric NAME: NAME, NAME_low, NAME_high
        (Wilson for rates of groups, bootstrap otherwise) and NAME_undefined (the reason in words, else "").
    """
    n_attrs = len(attr_labels)
    thresholds = np.asarray(thresholds, dtype=np.float64)
    pred = predict(score, thresholds, attr)
    counts = count_confusion(pred, y, attr, 2, n_attrs, weight)
    rows = np.bincount(attr, minlength=n_attrs)
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    effective = np.array([effective_n(w[attr == a]) for a in range(n_attrs)])
    worlds = bootstrap_counts(counts, effective, draws, np.random.default_rng(seed))
    groups, drawn = (np.concatenate([c, partition(c, "all")], axis=-3) for c in (counts, worlds))
    table = pd.DataFrame({
        "group": [*attr_labels, EVERYONE, *GAP_ROWS],
        "kind": ["group"] * n_attrs + [EVERYONE, *GAP_ROWS],
        "threshold": [*thresholds, thresholds[0] if (thresholds == thresholds[0]).all() else np.nan, np.nan, np.nan],
        "n": [*rows, rows.sum(), rows.sum(), rows.sum()],
        "n_effective": [*effective, *[effective_n(w)] * 3],
        "selected": [*groups[..., 1].sum(-1), np.nan, np.nan],
    })
    sizes = np.append(effective, effective_n(w))
    for name in metrics:
        table = table.assign(**metric_columns(_metric(name), groups, drawn, sizes, level))
    return table


def baseline_table(
    fit: Scores,
    show: Scores,
    position: int,
    *,
    x: str = "accuracy",
    y: str = "accuracy.worst@subgroup",
    label: str = "thresholds per group",
    shared: bool = False,
    max_points: int = 60,
    resolution: float = 0.005,
    min_n: int = 0,
) -> pd.DataFrame:
    """What thresholds alone make of one model: rules found on `fit` (validation), measured on `show` (test).

    Args:
        position: number of the run in both. x, y: keys of the front's axes; one of them says which gap is bounded.
        shared: one common threshold instead of one per group.
        min_n: groups with fewer rows in `show` are left out of "worst", as on the front.

    Returns:
        x, y, label, gap (on the rows it was found on), and one column of thresholds per group (threshold_0, ...), in
        the order of the bound; at most `max_points` rows. Empty for several classes.
    """
    if fit.score.ndim != 2:
        return pd.DataFrame({name: [] for name in ("x", "y", "label", "gap")})
    n_attrs = fit.thresholds.shape[1]
    fair, other = (y, x) if y in GAP_OF or x not in GAP_OF else (x, y)
    make = shared_threshold_front if shared else partial(group_threshold_front, resolution=resolution)
    front = make(fit.score[position], fit.y, fit.attr, n_attrs, weight=fit.w,
                 objective=OBJECTIVE_OF.get(other, "accuracy"), gap=GAP_OF.get(fair, "worst_subgroup_error"))
    kept = np.unique(np.linspace(0, len(front.gap) - 1, min(len(front.gap), max_points)).round().astype(int))
    rules = front.thresholds[kept]
    pred = predict(np.broadcast_to(show.score[position], (len(rules), len(show.y))), rules, show.attr)
    counts = count_confusion(pred, show.y, show.attr, 2, n_attrs, show.w)
    n = np.bincount(show.y * n_attrs + show.attr, minlength=2 * n_attrs).reshape(2, n_attrs)
    return pd.DataFrame({"x": parse(x).of(counts, min_n, n), "y": parse(y).of(counts, min_n, n), "label": label,
                         "gap": front.gap[kept], **{f"threshold_{a}": rules[:, a] for a in range(n_attrs)}})


def _metric(name: str) -> Metric:
    measure = parse(name)
    if measure.how:
        raise BadInput("Metric", repr(name), "a metric without a reduction", f"use {measure.parts[0].name}")
    return measure.parts[0]


def metric_columns(metric: Metric, groups: np.ndarray, drawn: np.ndarray, sizes: np.ndarray,
                   level: float) -> dict[str, list]:
    """Values, intervals and reasons of groups, everyone, gap and ratio."""
    value, world = metric.of(groups), metric.of(drawn)
    low, high = interval(world, level)
    rows = share_rows(metric.name, groups, sizes)
    if rows is not None:
        low, high = wilson(np.where(rows > 0, value * rows, 0.0), rows, level)
    columns = {"": list(value), "_low": list(low), "_high": list(high),
               "_undefined": ["" if np.isfinite(v) else metric.undefined if n > 0 else "0 rows"
                              for v, n in zip(value, sizes, strict=True)]}
    for how in GAP_ROWS:
        measure = parse(f"{metric.name}.{how}")
        closed = None if rows is None else compared(how, value[:-1], rows[:-1], metric.higher_is_better, level)
        ends = closed or interval(measure.of(drawn[..., :-1, :, :]), level)
        columns[""].append(float(measure.of(groups[:-1])))
        columns["_low"].append(float(ends[0]))
        columns["_high"].append(float(ends[1]))
        columns["_undefined"].append(measure.reason(groups[:-1]) or "")
    return {metric.name + end: column for end, column in columns.items()}


def _marks(table: pd.DataFrame, group_order: Sequence[str]) -> dict:
    names = [str(g) for g in table["group"].unique()]
    return signs([*group_order, *(n for n in names if n not in group_order)])


def _thin(at: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """About DRAWN points: half evenly by rank, half evenly along the axis, both ends always."""
    if len(at) <= DRAWN:
        return at, value
    by_rank = np.linspace(0, len(at) - 1, DRAWN // 2).round().astype(int)
    by_place = np.searchsorted(at, np.linspace(at[0], at[-1], DRAWN // 2)).clip(0, len(at) - 1)
    kept = np.unique(np.concatenate([by_rank, by_place]))
    return at[kept], value[kept]
