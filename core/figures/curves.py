"""Learning curves: a metric or the loss of every group against the iteration, seeds averaged, with selection marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from core.counts import n_of, partition, partition_labels
from core.figures.gather import by_setting, method_title, setting_words, split_index
from core.figures.theme import CONFIG, NEUTRAL, color_scale, directed, empty_chart, shape_scale, signs
from core.metrics.measure import Measure, parse
from core.types import History, Method, RunRecord

LOSS = "loss"
RULES = {"average": "accuracy", "worst group": "accuracy.worst@subgroup", "worst class": "accuracy.worst@class"}
SPLIT_DASHES = {"train": [2, 3], "val": [7, 3], "test": [1, 0]}
SPLIT_WORDS = {"train": "training", "val": "validation", "test": "test"}
COLUMNS = ["id", "method", "title", "settings", "split", "group", "iteration", "mean", "low", "high", "n_seeds"]
MARK_COLUMNS = ["rule", "id", "title", "settings", "evaluation", "iteration", "value", *RULES, "picked"]


def curves_table(
    runs: Sequence[RunRecord],
    histories: Mapping[str, History],
    *,
    metric: str = "accuracy",
    partition: str = "attr",
    splits: Sequence[str] = ("val",),
    classes: Sequence[str],
    attr_labels: Sequence[str],
    methods: Mapping[str, Method] | None = None,
    max_points: int = 200,
) -> pd.DataFrame:
    """One row per setting, split, group and iteration.

    Args:
        metric: a metric's name (one line per group of `partition`), a measure with a reduction such as
            "accuracy.worst@subgroup" (one line; `partition` is not used), or "loss".
        partition: "all", "attr", "class" or "subgroup".
        max_points: evaluations kept per line, spread evenly, the first and last always.

    Returns:
        id, method, title, settings, split, group (words), iteration, mean over seeds, low and high (lowest and highest
        seed), n_seeds. Undefined values are NaN.
    """
    measure = None if metric == LOSS else parse(metric)
    places = [split_index(split) for split in splits]
    labels = (measure.title,) if measure and measure.how else partition_labels(partition, classes, attr_labels)
    words, methods, parts = setting_words(runs, methods or {}), methods or {}, []
    for key, where in by_setting(runs).items():
        known = [r for r in where if runs[r].cohort in histories and len(histories[runs[r].cohort].iteration)]
        if not known:
            continue
        at = _kept([histories[runs[r].cohort] for r in known], max_points)
        values = np.stack([_values(histories[runs[r].cohort], runs[r].position, at, places, measure, partition)
                           for r in known])
        run = runs[known[0]]
        shape = values.shape[1:]
        frame = pd.DataFrame({
            "split": np.broadcast_to(np.array(splits)[None, :, None], shape).ravel(),
            "group": np.broadcast_to(np.array(labels), shape).ravel(),
            "iteration": np.broadcast_to(histories[run.cohort].iteration[at][:, None, None], shape).ravel(),
        })
        parts.append(frame.assign(id=key, method=run.method, title=method_title(run.method, methods),
                                  settings=words[key], **_over_seeds(values.reshape(len(known), -1))))
    return pd.concat(parts, ignore_index=True)[COLUMNS] if parts else pd.DataFrame({name: [] for name in COLUMNS})


def selection_marks(
    runs: Sequence[RunRecord],
    histories: Mapping[str, History],
    *,
    classes: Sequence[str],
    attr_labels: Sequence[str],
    methods: Mapping[str, Method] | None = None,
    min_n: int = 0,
    select_on: str = "val",
    report_on: str = "test",
) -> pd.DataFrame:
    """What each selection rule would have picked: the evaluation with the best value on `select_on`, seeds averaged.

    Returns:
        rule ("average", "worst group", "worst class"), id, title, settings, evaluation, iteration, value (what the rule
        saw), then the three measures on `report_on` at that evaluation, and picked: True for the setting that the rule
        prefers over all others. One row per rule and setting.
    """
    place, shown = split_index(select_on), split_index(report_on)
    words, methods, rows = setting_words(runs, methods or {}), methods or {}, []
    for key, where in by_setting(runs).items():
        known = [r for r in where if runs[r].cohort in histories and len(histories[runs[r].cohort].iteration)]
        if not known:
            continue
        at = _kept([histories[runs[r].cohort] for r in known], 10**9)
        run = runs[known[0]]
        means = {}
        for rule, measure_key in RULES.items():
            measure = parse(measure_key)
            each = np.stack([_measured(histories[runs[r].cohort], runs[r].position, at, (place, shown), measure, min_n)
                             for r in known])
            means[rule] = _over_seeds(each)["mean"].reshape(each.shape[1:])
        for rule, mean in means.items():
            if np.isfinite(mean[:, 0]).any():
                e = int(np.nanargmax(mean[:, 0]))
                rows.append({"rule": rule, "id": key, "title": method_title(run.method, methods),
                             "settings": words[key], "evaluation": e, "value": mean[e, 0],
                             "iteration": int(histories[run.cohort].iteration[e]),
                             **{name: other[e, 1] for name, other in means.items()}})
    if not rows:
        return pd.DataFrame({name: [] for name in MARK_COLUMNS})
    table = pd.DataFrame(rows)
    best = table.groupby("rule")["value"].transform("idxmax")
    return table.assign(picked=table.index == best)[MARK_COLUMNS]


def plot_curves(
    table: pd.DataFrame,
    *,
    metric: str = "accuracy",
    panels: str = "setting",
    marks: pd.DataFrame | None = None,
    group_order: Sequence[str] = (),
    height: int = 300,
    panel_width: int = 300,
) -> alt.LayerChart | alt.FacetChart | alt.Chart:
    """Lines with seed bands; splits differ in dash.

    Args:
        table: of `curves_table`. metric: the key it was made with, for the axis title.
        panels: "setting" (small multiples, lines are groups), "group" (small multiples, lines are settings) or "none"
            (one panel, lines are groups). One setting or one group alone makes one panel.
        marks: of `selection_marks`; drawn where a panel shows one setting.
        group_order: all group labels, so that each keeps its colour on every chart.
    """
    if table.empty or not np.isfinite(table["mean"].astype(float)).any():
        return empty_chart("No finished evaluation yet")
    data = _drawn_rows(table, panels, marks)
    line = "setting" if panels == "group" else "group"
    names = list(dict.fromkeys(data.loc[data["kind"] == "curve", line]))
    kept = signs([*group_order, *(n for n in names if n not in group_order)] if line == "group" else names)
    marks_of = {name: kept[name] for name in names}
    color = alt.Color(f"{line}:N", title=None, scale=color_scale(marks_of))
    shape = alt.Shape(f"{line}:N", title=None, scale=shape_scale(marks_of))
    measure = None if metric == LOSS else parse(metric)
    y_title = "Loss (cross-entropy, better ↓)" if measure is None else directed(
        measure.title, measure.higher_is_better, vertical=True)
    share = measure is not None and measure.bounds == (0.0, 1.0)
    y = alt.Y("mean:Q", title=y_title, scale=alt.Scale(zero=False),
              axis=alt.Axis(format=".1~%" if share else "~g", tickCount=6))
    layers = _layers(color, shape, y, [split for split in SPLIT_WORDS if split in set(table["split"])])
    several = data["panel"].nunique() > 1
    size: dict[str, Any] = {"height": height, "width": panel_width} if several else {"height": height}
    chart = alt.layer(*layers, data=data, **size, **({} if several else {"config": CONFIG}))
    if not several:
        return chart
    return chart.facet(alt.Facet("panel:N", title=None, sort=list(dict.fromkeys(data["panel"]))), columns=3).properties(
        config=CONFIG)


def _kept(found: Sequence[History], max_points: int) -> np.ndarray:
    """Evaluations that all have, thinned to `max_points`, with the first and the last."""
    size = min(len(history.iteration) for history in found)
    return np.unique(np.linspace(0, size - 1, min(size, max_points)).round().astype(int))


def _values(history: History, position: int, at: np.ndarray, places: Sequence[int], measure: Measure | None,
            by: str) -> np.ndarray:
    """(E, P, G) of one run."""
    where = (at[:, None], np.array(places)[None, :], position)
    counts = history.counts[where]
    if measure is None:
        return _loss(history.loss[where], counts, by)
    if measure.how:
        return measure.of(counts, n=history.n[list(places)])[..., None]
    return measure.parts[0].of(partition(counts, by))


def _measured(history: History, position: int, at: np.ndarray, places: Sequence[int], measure: Measure,
              min_n: int) -> np.ndarray:
    """(E, P) of one run."""
    where = (at[:, None], np.array(places)[None, :], position)
    counts = history.counts[where]
    return measure.of(counts, min_n, history.n[list(places)])


def _loss(loss: np.ndarray, counts: np.ndarray, by: str) -> np.ndarray:
    """Mean losses of cells (..., C, A) and counts (..., A, C, C) -> mean losses (..., G), weighted by the cells."""
    mass = np.where(np.isfinite(loss), counts.sum(-1).swapaxes(-1, -2), 0.0)
    total = n_of(np.where(np.isfinite(loss), loss, 0.0) * mass, by)
    size = n_of(mass, by)
    return np.divide(total, size, out=np.full(total.shape, np.nan), where=size > 0)


def _over_seeds(values: np.ndarray) -> dict[str, np.ndarray]:
    """(S, ...) -> mean, low, high and number of defined seeds, each flat."""
    flat = values.reshape(len(values), -1)
    here = np.isfinite(flat)
    total = np.where(here, flat, 0.0).sum(0)
    mean = np.divide(total, here.sum(0), out=np.full(total.shape, np.nan), where=here.any(0))
    return {"mean": mean, "low": np.fmin.reduce(flat), "high": np.fmax.reduce(flat), "n_seeds": here.sum(0)}


def _drawn_rows(table: pd.DataFrame, panels: str, marks: pd.DataFrame | None) -> pd.DataFrame:
    """Curves and marks in one data set; `panel` says where each is drawn."""
    names = dict(zip(table["id"], table["title"] + ", " + table["settings"], strict=True))
    curves = table.drop(columns=["method"]).assign(setting=table["id"].map(names), kind="curve", rule="")
    curves["split"] = curves["split"].map(SPLIT_WORDS)
    known = curves[np.isfinite(curves["mean"].astype(float))]
    last = known.groupby(["id", "split", "group"])["iteration"].transform("max")
    curves["end"] = curves["iteration"].eq(last.reindex(curves.index))
    panel = {"setting": curves["setting"], "group": curves["group"]}.get(panels)
    curves["panel"] = "" if panel is None else panel
    if curves["panel"].nunique() == 1:
        curves["panel"] = ""
    one_setting = panels == "setting" or len(names) == 1
    if marks is None or marks.empty or not one_setting or panels == "group":
        return curves
    shown = marks[marks["id"].isin(list(names))]
    ticks = shown.groupby(["id", "iteration"], sort=False)["rule"].agg(", ".join).reset_index()
    ticks = ticks.assign(kind="mark", setting=ticks["id"].map(names), group="", split="", end=False)
    ticks["panel"] = ticks["setting"] if (curves["panel"] != "").any() else ""
    return pd.concat([curves, ticks], ignore_index=True)


def _layers(color: alt.Color, shape: alt.Shape, y: alt.Y, splits: Sequence[str]) -> list[alt.Chart]:
    """Bands, lines that end in a mark, hidden points that carry the tooltips, and the selection marks."""
    x = alt.X("iteration:Q", title="Iteration", axis=alt.Axis(format=",d", tickCount=6), scale=alt.Scale(nice=False))
    curve, mark = (alt.Chart(transform=[{"filter": f"datum.kind == '{kind}'"}]) for kind in ("curve", "mark"))
    alone = len(splits) == 1  # one kind of rows needs no second sign and no legend
    dash = alt.StrokeDash("split:N", title=None, legend=None if alone else alt.Legend(), scale=alt.Scale(
        domain=[SPLIT_WORDS[s] for s in splits], range=[[1, 0] if alone else SPLIT_DASHES[s] for s in splits]))
    each = alt.Detail(["id:N", "split:N", "group:N"])
    told = [alt.Tooltip("setting:N", title="Model"), alt.Tooltip("group:N", title="Group"),
            alt.Tooltip("split:N", title="Measured on"), alt.Tooltip("iteration:Q", title="Iteration"),
            alt.Tooltip("mean:Q", title="Mean of seeds", format=".4f"),
            alt.Tooltip("low:Q", title="Lowest seed", format=".4f"),
            alt.Tooltip("high:Q", title="Highest seed", format=".4f")]
    return [
        curve.mark_area(opacity=0.14).encode(x, alt.Y("low:Q"), alt.Y2("high"), color, each),
        curve.mark_line(strokeWidth=2).encode(x, y, color, dash, each),
        curve.transform_filter("datum.end").mark_point(filled=True, size=70, opacity=1).encode(x, y, color, shape),
        curve.mark_point(opacity=0, size=60, filled=True).encode(x, y, tooltip=told),
        mark.mark_rule(color=NEUTRAL, strokeDash=[2, 3], strokeWidth=1.5).encode(x),
        mark.mark_text(color=NEUTRAL, angle=270, align="right", baseline="bottom", dx=-4, dy=-3, y=0)
        .encode(x, alt.Text("rule:N")),
    ]
