"""What every figure must keep to, on an empty, a small, a large and a partly undefined study.

An example is a function of a case that returns a chart; `EXAMPLES` holds one for every `plot_` function of
core/figures. Each check raises AssertionError with a hint. Ids are figure:case:check.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.figures.audit import plot_differences, plot_map, plot_rates, plot_reliability, plot_shrunken, said
from core.figures.curves import curves_table, plot_curves, selection_marks
from core.figures.front import front_table, plot_front
from core.figures.histogram import histogram_table, plot_histogram
from core.figures.matching import plot_balance
from core.figures.roc import area_table, plot_pr, plot_roc, roc_table
from core.figures.sets import plot_path, plot_sets
from core.figures.sizes import plot_sizes
from core.figures.thresholds import baseline_table, plot_sweep, sweep_table
from core.types import History, RunRecord, Scores

CASES = ("empty", "one", "many", "nan")
CLASSES, GROUPS = ("no", "yes"), ("women, 45+", "women, under 45", "men", "missing")
Chart = Any


def example_study(case: str) -> tuple[list[RunRecord], dict[str, History]]:
    """Runs and histories: "empty" has none, "one" one run, "many" three methods with 12 runs each, "nan" a diverged
    run, a run that has not begun, and a group without positives."""
    if case == "empty":
        return [], {}
    sizes = {"one": 1, "many": 36, "nan": 4}
    rng, size, evaluations = np.random.default_rng(0), sizes[case], 6
    total = rng.integers(20, 90, (1, 3, 1, len(GROUPS), 2)).astype(float)
    if case == "nan":
        total[..., 3, 1] = 0
    right = np.floor(total * rng.uniform(0.5, 1, (evaluations, 3, size, len(GROUPS), 2)))
    counts = np.stack([np.stack([right[..., 0], total[..., 0] - right[..., 0]], -1),
                       np.stack([total[..., 1] - right[..., 1], right[..., 1]], -1)], -2)
    cells = np.broadcast_to(total[0, :, 0].swapaxes(-1, -2), (3, 2, len(GROUPS)))
    loss = np.where(cells[None, :, None] > 0, rng.random((evaluations, 3, size, 2, len(GROUPS))), np.nan)
    if case == "nan":
        counts[2:, :, 0], loss[2:, :, 0] = np.nan, np.nan
    state = np.full(size, 2, dtype=np.int8)
    history = History(np.arange(1, evaluations + 1) * 100, counts, loss, state, np.full(size, -1), cells, cells)
    names = ("erm", "group_dro", "focal")
    runs = [RunRecord(f"key{r}", "study", "job", "cohort", r, names[r % len(names)], {"eta": 0.1 * (r // 9)},
                      r // 3 % 3, "mlp", "finished") for r in range(size)]
    if case == "nan":
        runs.append(RunRecord("key9", "study", "job", "later", 0, "erm", {"eta": 0.9}, 0, "mlp", "queued"))
    return runs, {"cohort": history}


def example_scores(case: str) -> Scores:
    """Scores of one run: no rows, one row, 3,000 rows, or 40 rows with a group that has no positives."""
    n = {"empty": 0, "one": 1, "many": 3000, "nan": 40}[case]
    rng = np.random.default_rng(1)
    attr, y = rng.integers(0, len(GROUPS), n), rng.integers(0, 2, n)
    if case == "nan":
        y[attr == 0] = 0
    score = np.clip(0.3 * y + 0.7 * rng.random((1, n)), 0, 1).astype(np.float32)
    return Scores(score, np.full((1, len(GROUPS)), 0.5), y, attr, np.ones(n, np.float32), np.arange(n))


def _front(case: str) -> Chart:
    runs, histories = example_study(case)
    table = front_table(runs, histories, draws=50, classes=CLASSES, attr_labels=GROUPS)
    scores = example_scores(case)
    behind = baseline_table(scores, scores, 0) if case in ("many", "nan") else None
    return plot_front(table, selected=list(table["id"][:1]), baseline=behind, order=("erm", "focal", "group_dro"))


def _curves(case: str) -> Chart:
    runs, histories = example_study(case)
    table = curves_table(runs, histories, metric="tpr", splits=("train", "val"), classes=CLASSES, attr_labels=GROUPS)
    marks = selection_marks(runs, histories, classes=CLASSES, attr_labels=GROUPS)
    return plot_curves(table, metric="tpr", marks=marks, group_order=GROUPS)


def _sweep(case: str) -> Chart:
    s = example_scores(case)
    table = sweep_table(s.score[0], s.y, s.attr, attr_labels=GROUPS, metrics=("tpr",))
    return plot_sweep(table, metric="tpr", thresholds={GROUPS[0]: 0.5}, group_order=GROUPS)


def _histogram(case: str) -> Chart:
    s = example_scores(case)
    table = histogram_table(s.score[0], s.y, s.attr, attr_labels=GROUPS, classes=CLASSES)
    return plot_histogram(table, thresholds={GROUPS[0]: 0.5}, group_order=GROUPS)


def _roc(case: str, plot: Callable[..., Chart]) -> Chart:
    s = example_scores(case)
    given = (s.score[0], s.y, s.attr)
    table, areas = roc_table(*given, attr_labels=GROUPS), area_table(*given, attr_labels=GROUPS)
    return plot(table, areas=areas, thresholds={GROUPS[0]: 0.5, GROUPS[1]: float("inf")}, group_order=GROUPS)


def _sizes(case: str) -> Chart:
    rows = {"empty": 0, "one": 1, "many": 8, "nan": 8}[case]
    n = np.arange(rows) * (0 if case == "nan" else 11)
    return plot_sizes(pd.DataFrame({
        "group": np.repeat(GROUPS, 2)[:rows], "class": np.tile(CLASSES, len(GROUPS))[:rows], "n": n,
        "share": n / max(n.sum(), 1), "n_test": n, "warning": np.where(n < 20, "few test rows", "")}))


def _rates(case: str) -> pd.DataFrame:
    """One row a group as core.figures.audit.group_rates makes them, groups being two by two."""
    size = {"empty": 0, "one": 1, "many": 4, "nan": 4}[case]
    value = np.linspace(0.3, 0.9, 4)[:size]
    if case == "nan":
        value[2] = np.nan
    table = pd.DataFrame({"group": GROUPS[:size], "value": value, "low": value - 0.1, "high": value + 0.1,
                          "n": 40, "small": False, "undefined": "", "part:sex": ["women", "women", "men", "men"][:size],
                          "part:age": ["45+", "under 45"] * (size // 2) if size > 1 else ["45+"] * size})
    table["text"] = [said(v, v - 0.1, v + 0.1, None, 40) for v in value]
    return table.assign(label=table["group"], clear=True, predicted=table["value"], observed=table["value"] - 0.05,
                        raw=table["value"] + 0.04)


def _balance(case: str) -> Chart:
    table = _rates(case)[["label", "value", "text"]]
    return plot_balance(pd.concat([table.assign(when="before"), table.assign(when="in pairs")], ignore_index=True))


def _sets(case: str) -> Chart:
    table = _rates(case).assign(part="several classes", place=0, left=0.0, right=lambda t: t["value"], label="60 %")
    return plot_sets(table)


def _path(case: str) -> Chart:
    table = _rates(case).dropna(subset=["value"]).assign(kind="policy", t=0.5, name="own thresholds")
    return plot_path(table.assign(**{f"{name}{end}": table["value"] for name in ("coverage", "size")
                                     for end in ("", "_low", "_high")}))


EXAMPLES: Mapping[str, Callable[[str], Chart]] = {
    "audit.plot_rates": lambda case: plot_rates(_rates(case), title="True positive rate", overall=0.5),
    "audit.plot_map": lambda case: plot_map(_rates(case), rows="sex", columns="age", title="True positive rate"),
    "audit.plot_differences": lambda case: plot_differences(_rates(case), title="Difference"),
    "audit.plot_shrunken": lambda case: plot_shrunken(_rates(case), title="True positive rate", common=0.5),
    "audit.plot_reliability": lambda case: plot_reliability(_rates(case), group_order=GROUPS),
    "matching.plot_balance": _balance,
    "front.plot_front": _front,
    "curves.plot_curves": _curves,
    "thresholds.plot_sweep": _sweep,
    "histogram.plot_histogram": _histogram,
    "roc.plot_roc": lambda case: _roc(case, plot_roc),
    "roc.plot_pr": lambda case: _roc(case, plot_pr),
    "sets.plot_sets": _sets,
    "sets.plot_path": _path,
    "sizes.plot_sizes": _sizes,
}


def check_round_trip(chart: Chart) -> None:
    """The chart is JSON without NaN, and the same after a round trip."""
    spec = chart.to_dict() if hasattr(chart, "mark") or isinstance(chart, alt.TopLevelMixin) else None
    text = json.dumps(spec, allow_nan=False) if spec is not None else chart.to_json()
    assert "NaN" not in text and "Infinity" not in text, "undefined numbers must become null, and infinity be left out"
    if spec is not None:
        again = alt.Chart.from_dict(json.loads(text)).to_dict()
        assert again["$schema"] == spec["$schema"] and again.keys() == spec.keys(), "the spec changes in a round trip"
    else:
        again = go.Figure(json.loads(text)).to_json()
        assert json.loads(again) == json.loads(text), "the figure changes in a round trip"


def check_words(chart: Chart) -> None:
    """Axes have titles in words, or the chart says why it is empty."""
    said = [text for text in _texts(chart) if text.strip()]
    assert said, "give every axis a title in words"
    for text in said:
        assert "_" not in text, f"{text!r} is a code, not words"


def check_quiet_ground(chart: Chart) -> None:
    """Transparent background, so that both themes work."""
    if isinstance(chart, go.Figure):
        assert chart.layout.paper_bgcolor == "rgba(0,0,0,0)", "make figures with theme.new_figure"
    else:
        assert chart.to_dict()["config"]["background"] == "transparent", "make charts with config=theme.CONFIG"


def check_stable(chart: Chart) -> None:
    """Altair: every parameter is named, so that the chart keeps its place on the page while its data change."""
    if not isinstance(chart, go.Figure):
        names = [p["name"] for p in chart.to_dict().get("params", [])]
        assert not [n for n in names if n.startswith("param_")], "give every selection a name"


CHECKS: Mapping[str, Callable[[Chart], None]] = {
    "round_trip": check_round_trip,
    "words": check_words,
    "quiet_ground": check_quiet_ground,
    "stable": check_stable,
}


def failures(name: str, example: Callable[[str], Chart]) -> Iterator[str]:
    """Findings, "figure:case:check: what is wrong", of one figure over all cases."""
    for case in CASES:
        try:
            chart = example(case)
        except Exception as wrong:  # any error of a figure is a finding about that figure
            yield f"{name}:{case}:draws: {type(wrong).__name__}: {wrong}"
            continue
        for check_name, check in CHECKS.items():
            try:
                check(chart)
            except AssertionError as wrong:
                yield f"{name}:{case}:{check_name}: {wrong}"


def _texts(chart: Chart) -> list[str]:
    """Axis titles, or the message of an empty chart."""
    if isinstance(chart, go.Figure):
        axes = [axis.title.text or "" for axis in (*chart.select_xaxes(), *chart.select_yaxes())]
        return axes + [note.text or "" for note in chart.layout.annotations]
    spec = chart.to_dict()
    found: list[str] = []
    stack: list[Any] = [spec]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            for channel, definition in (part.get("encoding") or {}).items():
                if channel in ("x", "y") and isinstance(definition, dict):
                    found.append(str(definition.get("title") or ""))
            stack += [value for key, value in part.items() if key != "datasets"]
        elif isinstance(part, list):
            stack += part
    rows = next(iter(spec.get("datasets", {}).values()), spec.get("data", {}).get("values", []))
    return found + [str(row["message"]) for row in rows if "message" in row]
