"""The trade-off front: one point for every setting on two measures, with intervals on both axes.

Seeds of a setting are averaged. Intervals hold two parts: seeds drawn again, and rows drawn again (exact multinomial
draws of the setting's mean count table; all seeds share the rows, so that part does not shrink with more seeds).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from core.figures.gather import (
    Gathered,
    by_setting,
    gather,
    joint_state,
    method_title,
    setting_words,
    spread_seeds,
)
from core.figures.shares import span
from core.figures.theme import CONFIG, NEUTRAL, Sign, color_scale, directed, empty_chart, shape_scale, signs
from core.fronts import front_share, hypervolume, knee, non_dominated
from core.inference import bootstrap_counts, interval, resample_seeds
from core.metrics.measure import Measure, parse
from core.types import BadInput, History, Method, RunRecord

HEIGHT = 460
CELLS = 2_000_000  # of all drawn tables together: keeps a page with many settings or classes quick
COLUMNS = ["id", "method", "title", "settings", "net", "n_seeds", "x", "x_low", "x_high", "y", "y_low", "y_high",
           "on_front", "front_share", "knee", "is_reference", "diverged", "state", "iteration", "run_keys"]
SHOWN = ["id", "title", "settings", "state", "on_front", "knee", "is_reference"]
TEXTS = ["id", "title", "settings", "state", "label", "x_text", "y_text", "front_text", "seeds_text"]


def front_table(
    runs: Sequence[RunRecord],
    histories: Mapping[str, History],
    *,
    x: str = "accuracy",
    y: str = "accuracy.worst@subgroup",
    split: str = "test",
    at: str | int = "last",
    draws: int | None = None,
    classes: Sequence[str],
    attr_labels: Sequence[str],
    min_n: int = 0,
    methods: Mapping[str, Method] | None = None,
    reference: str = "erm",
    worlds: Mapping[str, np.ndarray] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    """One row per setting, seeds averaged.

    Args:
        x, y: keys of measures with a better direction.
        at: "last" or the number of an evaluation.
        draws: bootstrap worlds for intervals and front shares (at most; many settings or classes take fewer); None
            leaves them out.
        min_n: groups with fewer rows are left out of "worst".
        methods: for titles and symbols. reference: the method marked as the reference.
        worlds: cohort -> (D, R, A, C, C) from `bootstrap_runs` with equal generators: paired worlds, which make the
            front shares sharper. Used where every shown cohort has one.
        seed: of the draws, so that a redrawn page shows the same intervals.

    Returns:
        id (setting key), method, title, settings (words), net, n_seeds (runs averaged), x, x_low, x_high, y, y_low,
        y_high, on_front, front_share, knee, is_reference, diverged (number of runs), state, iteration (-1 before the
        first evaluation), run_keys (tuple). Undefined values are NaN.
    """
    axes = (_axis(x), _axis(y))
    higher = tuple(bool(m.higher_is_better) for m in axes)
    if not runs:
        return pd.DataFrame({name: [] for name in COLUMNS})
    found = gather(runs, histories, split, at, len(classes), len(attr_labels))
    settings, methods = by_setting(runs), methods or {}
    seeds = spread_seeds(np.stack([m.of(found.counts, min_n, found.n) for m in axes]), settings)
    points, n_seeds = _mean(seeds), np.isfinite(seeds).all(0).sum(-1)
    on_front = non_dominated(points.T, higher)
    low = high = np.full_like(points, np.nan)
    share = np.full(len(settings), np.nan)
    if draws:
        drawn = _draw(runs, found, settings, axes, seeds, draws, min_n, worlds, np.random.default_rng(seed))
        low, high = _widened(interval(drawn, level), found, settings, axes, min_n, level)
        share = np.where(np.isfinite(points).all(0), front_share(drawn.swapaxes(1, 2), higher), np.nan)
    corner = knee(points.T, higher)
    table = _describe(runs, found, settings, methods, reference)
    measured = {"n_seeds": n_seeds, "x": points[0], "x_low": low[0], "x_high": high[0], "y": points[1],
                "y_low": low[1], "y_high": high[1], "on_front": on_front, "front_share": share,
                "knee": np.arange(len(settings)) == (-1 if corner is None else corner)}
    return table.assign(**measured)[COLUMNS]


def plot_front(
    table: pd.DataFrame,
    *,
    x: str = "accuracy",
    y: str = "accuracy.worst@subgroup",
    x_title: str = "",
    y_title: str = "",
    selected: Sequence[str] = (),
    baseline: pd.DataFrame | None = None,
    show_intervals: bool = True,
    order: Sequence[str] = (),
    height: int = HEIGHT,
) -> alt.LayerChart | alt.FacetChart | alt.Chart:
    """The front as an Altair chart with the named point selection "pick" on field `id`.

    Args:
        table: of `front_table`, any of its rows. x, y: the same keys as there (titles and directions come from them).
        selected: ids drawn with a ring.
        baseline: columns x, y, label: what lies behind the points (see `baseline_table`), drawn in the given order.
        order: names of all methods, so that each keeps its colour and mark on every chart.
    """
    shown, marks = _shown(table), _marks(table, order)
    if shown.empty:
        return empty_chart("No finished evaluation yet" if len(table) else "No runs yet")
    axes = (_axis(x), _axis(y))
    data = _rows(shown, axes, selected, baseline)
    layers, at = _drawing(axes, (x_title or axes[0].title, y_title or axes[1].title), marks, show_intervals)
    for channel, domain in zip(at, _domains(axes, data), strict=True):
        channel["scale"]["domain"] = domain
    return alt.layer(*layers, data=data, height=height, config=CONFIG, encoding=dict(zip("xy", at, strict=True)))


def front_spec(table: pd.DataFrame, *, x: str, y: str, selected: Sequence[str] = (),
               baseline: pd.DataFrame | None = None, show_intervals: bool = True,
               order: Sequence[str] = ()) -> tuple[pd.DataFrame, dict[str, Any]] | None:
    """The chart of `plot_front` as its frame and its Vega-Lite specification, for a screen that draws it every second.

    What stays the same while numbers move is written once, so this takes a tenth of the time. None where there is no
    point to draw yet. The specification draws the data set named "rows"; arguments as in `plot_front`.
    """
    shown, marks = _shown(table), _marks(table, order)
    if shown.empty:
        return None
    axes = (_axis(x), _axis(y))
    data = _rows(shown, axes, selected, baseline)
    spec = json.loads(_written(x, y, tuple(marks.items()), show_intervals))
    for name, domain in zip("xy", _domains(axes, data), strict=True):
        spec["encoding"][name]["scale"]["domain"] = domain
    return data, spec


@lru_cache(maxsize=64)
def _written(x: str, y: str, marks: tuple[tuple[str, Sign], ...], show_intervals: bool) -> str:
    """The specification of the chart without its numbers, as JSON."""
    axes = (_axis(x), _axis(y))
    layers, at = _drawing(axes, (axes[0].title, axes[1].title), dict(marks), show_intervals)
    chart = alt.layer(*layers, data=alt.NamedData(name="rows"), height=HEIGHT, config=CONFIG,
                      encoding=dict(zip("xy", at, strict=True)))
    return json.dumps(chart.to_dict(validate=False))


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    return table[np.isfinite(table["x"].astype(float)) & np.isfinite(table["y"].astype(float))]


def _marks(table: pd.DataFrame, order: Sequence[str]) -> dict[str, Sign]:
    """Title of a method shown -> its sign, by its place among all methods of the study."""
    shown = _shown(table)
    found = signs([*order, *sorted(set(table["method"]) - set(order))])
    titles = dict(zip(shown["method"], shown["title"], strict=True))
    return {titles[name]: sign for name, sign in found.items() if name in titles}


def _drawing(axes: Sequence[Measure], words: tuple[str, str], marks: Mapping[str, Sign],
             show_intervals: bool) -> tuple[list[alt.Chart], list[alt.X | alt.Y]]:
    """Layers and the two axes (their domains still to be set)."""
    color = alt.Color("title:N", title=None, scale=color_scale(marks))
    shape = alt.Shape("title:N", title=None, scale=shape_scale(marks))
    step = "step-before" if axes[0].higher_is_better else "step-after"
    return [*_backdrop(step, show_intervals, color), _points(color, shape, words), *_labels()], _places(axes, words)


def hypervolume_table(table: pd.DataFrame, *, x: str, y: str) -> pd.DataFrame:
    """What each method's points reach together.

    Returns:
        method, title, n_settings, best_x, best_y, hypervolume: the share of the box between the worst and the best
        value shown on each axis that the method's points dominate; 1 is a point that is best on both. Sorted, best
        first. Empty where fewer than two points differ.
    """
    higher = tuple(bool(_axis(key).higher_is_better) for key in (x, y))
    shown = _shown(table)
    columns = ["method", "title", "n_settings", "best_x", "best_y", "hypervolume"]
    upward = shown[["x", "y"]].to_numpy(float) * np.where(higher, 1.0, -1.0)
    if len(upward) < 2 or not (np.ptp(upward, axis=0) > 0).all():
        return pd.DataFrame({name: [] for name in columns})
    low, size = upward.min(0), np.ptp(upward, axis=0)
    rows = []
    for (method, title), part in shown.assign(place=np.arange(len(shown))).groupby(["method", "title"], sort=False):
        scaled = (upward[part["place"]] - low) / size
        best = upward[part["place"]].max(0) * np.where(higher, 1.0, -1.0)
        rows.append((method, title, len(part), best[0], best[1], hypervolume(scaled, (0, 0))))
    return pd.DataFrame(rows, columns=columns).sort_values("hypervolume", ascending=False, ignore_index=True)


def _axis(key: str) -> Measure:
    measure = parse(key)
    if measure.higher_is_better is None:
        raise BadInput("Axis", measure.title.lower(), "a measure of which more or less is better", "use its gap")
    return measure


def _mean(seeds: np.ndarray) -> np.ndarray:
    """(..., S) -> (...) mean of the seeds that have a value, NaN where none has."""
    here = np.isfinite(seeds)
    total = np.where(here, seeds, 0.0).sum(-1)
    return np.divide(total, here.sum(-1), out=np.full(total.shape, np.nan), where=here.any(-1))


def _draw(runs: Sequence[RunRecord], found: Gathered, settings: Mapping[str, list[int]], axes: Sequence[Measure],
          seeds: np.ndarray, draws: int, min_n: int, worlds: Mapping[str, np.ndarray] | None,
          rng: np.random.Generator) -> np.ndarray:
    """(D, 2, M) values of every setting in every world."""
    kept = [[r for r in where if np.isfinite(found.counts[r]).all()] or where[:1] for where in settings.values()]
    first = [where[0] for where in kept]
    pooled = np.stack([found.counts[where].mean(0) for where in kept])
    if worlds and all(run.cohort in worlds for run in runs):
        tables = np.stack([np.mean([worlds[runs[r].cohort][:, runs[r].position] for r in where], axis=0)
                           for where in kept], axis=1)
    else:
        draws = max(min(draws, CELLS // pooled.size), 50)
        tables = bootstrap_counts(pooled, found.n_effective[first], draws, rng)
    n = found.n[first]
    noise = np.stack([m.of(tables, min_n, n) - m.of(pooled, min_n, n) for m in axes], axis=1)
    drawn = resample_seeds(seeds, len(tables), rng) + noise
    bounds = np.array([m.bounds for m in axes])
    return np.clip(drawn, bounds[:, 0, None], bounds[:, 1, None])


def _widened(ends: tuple[np.ndarray, np.ndarray], found: Gathered, settings: Mapping[str, list[int]],
             axes: Sequence[Measure], min_n: int, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Intervals (2, M) that hold the closed-form ones of gaps and of the worst group: drawn rows alone leave no width
    where nobody errs, and too little where groups are alike."""
    first = [where[0] for where in settings.values()]
    counts = np.stack([found.counts[where].mean(0) for where in settings.values()])
    sound = np.flatnonzero(np.isfinite(counts).all((1, 2, 3)))
    for k, measure in enumerate(axes if len(sound) else ()):
        cells, sizes = found.n_effective[first][sound], found.n[first][sound]
        closed = span(measure, counts[sound], cells, sizes, min_n, level)
        if closed is not None:
            ends[0][k, sound] = np.fmin(ends[0][k, sound], closed[0])
            ends[1][k, sound] = np.fmax(ends[1][k, sound], closed[1])
    return ends


def _describe(runs: Sequence[RunRecord], found: Gathered, settings: Mapping[str, list[int]],
              methods: Mapping[str, Method], reference: str) -> pd.DataFrame:
    words, rows = setting_words(runs, methods), []
    for key, where in settings.items():
        run, states = runs[where[0]], [found.state[r] for r in where]
        rows.append({
            "id": key, "method": run.method, "title": method_title(run.method, methods), "settings": words[key],
            "net": run.net, "is_reference": run.method == reference and not run.parent,
            "diverged": sum(s == "diverged" for s in states), "state": joint_state(states),
            "iteration": int(found.iteration[where].max()), "run_keys": tuple(runs[r].key for r in where),
        })
    return pd.DataFrame(rows)


def _share(value: float, measure: Measure) -> str:
    return f"{100 * value:.1f} %" if measure.bounds[1] <= 1 else f"{value:.3f}"


def _with_interval(value: float, low: float, high: float, measure: Measure) -> str:
    text = _share(value, measure)
    return f"{text} ({_share(low, measure)} to {_share(high, measure)})" if np.isfinite([low, high]).all() else text


def _rows(shown: pd.DataFrame, axes: Sequence[Measure], selected: Sequence[str],
          baseline: pd.DataFrame | None) -> pd.DataFrame:
    """One data set for all layers, so that the chart keeps its place on the page while its numbers change."""
    parts = [_point_rows(shown, axes, selected)]
    if baseline is not None and len(baseline):
        behind = baseline[["x", "y", "label"]].assign(kind="baseline", place=np.arange(len(baseline)))
        for name, measure in zip("xy", axes, strict=True):
            behind[f"{name}_text"] = [_share(v, measure) for v in behind[name]]
        parts.append(behind)
    data = pd.concat(parts, ignore_index=True)
    flags = {name: data[name].eq(True) for name in ("on_front", "knee", "is_reference", "selected")}
    texts = {name: data[name].astype(object).where(data[name].notna(), "").astype(str) for name in TEXTS}
    return data.assign(**flags, **texts)


def _point_rows(shown: pd.DataFrame, axes: Sequence[Measure], selected: Sequence[str]) -> pd.DataFrame:
    """What the point layers draw, with the texts of the tooltip."""
    numbers = shown[["x", "x_low", "x_high", "y", "y_low", "y_high"]].astype(float)
    data = numbers.assign(**{name: shown[name] for name in SHOWN}, kind="point", label="", place=0)
    for name, measure in zip("xy", axes, strict=True):
        ends = zip(numbers[name], numbers[f"{name}_low"], numbers[f"{name}_high"], strict=True)
        data[f"{name}_text"] = [_with_interval(*row, measure) for row in ends]
    share = shown["front_share"].astype(float)
    data["front_text"] = [
        ("on the front" if on else "not on the front") + (f", in {100 * s:.0f} % of bootstrap worlds" if s == s else "")
        for on, s in zip(shown["on_front"], share, strict=True)]
    data["seeds_text"] = [f"{n} seed{'s' * (n != 1)}" + (f", {d} diverged" if d else "")
                          for n, d in zip(shown["n_seeds"], shown["diverged"], strict=True)]
    return data.assign(selected=shown["id"].isin(list(selected)))


def _domains(axes: Sequence[Measure], data: pd.DataFrame) -> list[list[float]]:
    return [_domain(measure, data, name) for measure, name in zip(axes, "xy", strict=True)]


def _domain(measure: Measure, data: pd.DataFrame, name: str) -> list[float]:
    """From the lowest to the highest value drawn, with a margin, never past what the measure can be (plus a hair, so
    that marks at the bound are whole)."""
    values = data[[c for c in (name, f"{name}_low", f"{name}_high") if c in data]].to_numpy(float)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = max(0.06 * (high - low), 0.005)
    floor, ceiling = (bound + sign * margin / 2 for bound, sign in zip(measure.bounds, (-1, 1), strict=True))
    return [max(low - margin, floor), min(high + margin, ceiling)]


def _places(axes: Sequence[Measure], words: tuple[str, str]) -> list[alt.X | alt.Y]:
    """The two axes: titled with their direction, not starting at zero."""
    format_x, format_y = (".1~%" if m.bounds == (0.0, 1.0) else ".2~f" for m in axes)
    scales = [alt.Scale(domain=[0.0, 1.0], nice=False, zero=False) for _ in axes]
    return [
        alt.X("x:Q", title=directed(words[0], axes[0].higher_is_better), scale=scales[0],
              axis=alt.Axis(format=format_x, tickCount=8)),
        alt.Y("y:Q", title=directed(words[1], axes[1].higher_is_better, vertical=True),
              axis=alt.Axis(format=format_y, tickCount=7), scale=scales[1]),
    ]


def _chart(keep: str, **extra: Any) -> alt.Chart:
    """A layer without data and places of its own: both come from the whole chart."""
    return alt.Chart(transform=[{"filter": f"datum.kind == 'point' && {keep}" if keep else "datum.kind == 'baseline'"}],
                     **extra)


def _backdrop(step: Any, show_intervals: bool, color: alt.Color) -> list[alt.Chart]:
    """Baseline, intervals and the line through the front."""
    behind = _chart("").mark_line(color=NEUTRAL, strokeWidth=1.5, strokeDash=[5, 3], opacity=0.8)
    layers = [behind.encode(alt.Detail("label:N"), alt.Order("place:Q"), tooltip=_told([("label", "Behind the points"),
                                                                              ("x_text", "→"), ("y_text", "↑")]))]
    if show_intervals:
        rule = _chart("true").mark_rule(strokeWidth=1.5, opacity=0.4)
        layers += [rule.encode(alt.X("x_low:Q"), alt.X2("x_high"), color),
                   rule.encode(alt.Y("y_low:Q"), alt.Y2("y_high"), color)]
    line = _chart("datum.on_front").mark_line(color=NEUTRAL, strokeWidth=1.5, interpolate=step)
    return [*layers, line.encode(alt.Order("x:Q"))]


def _points(color: alt.Color, shape: alt.Shape, words: tuple[str, str]) -> alt.Chart:
    """The points, larger on the front, with the selection "pick"."""
    pick = alt.selection_point(name="pick", fields=["id"], on="click", empty=True)
    told = [("title", "Method"), ("settings", "Settings"), ("x_text", words[0]), ("y_text", words[1]),
            ("front_text", "Front"), ("seeds_text", "Runs"), ("state", "State")]
    return _chart("true", name="points", params=[pick.param]).mark_point(filled=True, cursor="pointer").encode(
        color, shape, tooltip=_told(told),
        size=alt.SizeValue(70, condition={"test": "datum.on_front", "value": 150}),
        opacity=alt.OpacityValue(0.35, condition={"param": "pick", "value": 0.95}))


def _labels() -> list[alt.Chart]:
    """Rings around the selected and the reference, the words beside reference and knee."""
    ring = _chart("datum.selected").mark_point(
        shape="circle", size=420, filled=False, color=NEUTRAL, strokeWidth=3)
    reference = _chart("datum.is_reference").mark_point(
        shape="circle", size=330, filled=False, color=NEUTRAL, strokeWidth=1.2, strokeDash=[3, 2])
    name = _chart("datum.is_reference").mark_text(dy=18, color=NEUTRAL, fontWeight=600, fontSize=12)
    knee_word = _chart("datum.knee").mark_text(dy=-16, color=NEUTRAL, fontWeight=600, fontSize=12)
    return [ring, reference, name.encode(alt.Text("title:N")), knee_word.encode(alt.TextValue("knee"))]


def _told(fields: Sequence[tuple[str, str]]) -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in fields]
