"""What the trade-off front shows: axes, rows, methods; all of it in the address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.metrics.measure import measures, parse
from core.types import RunRecord, Task
from pages._ui import query, results

X, Y = "accuracy", "accuracy.worst@subgroup"
SPLITS = {"test": "Test", "val": "Validation", "both": "Side by side"}
SPLIT_WORDS = {"test": "test rows", "val": "validation rows"}
MIN_ROWS = 10


@dataclass(frozen=True)
class View:
    """What the front shows: keys of its axes, splits, methods (empty: all), whether intervals and the threshold
    baseline are drawn, and under how many rows a group is left out of "worst"."""

    x: str
    y: str
    splits: tuple[str, ...]
    methods: tuple[str, ...]
    intervals: bool
    baseline: bool
    min_n: int


def controls(task: Task, found: Sequence[RunRecord]) -> View:
    """One compact row; the rest under More."""
    keys = measures(task.n_classes, directed=True)
    words = {key: f"{parse(key).title} {'↑' if parse(key).higher_is_better else '↓'}" for key in keys}
    with st.container(horizontal=True, vertical_alignment="bottom", key="front-controls"):
        help_ = "↑ more is better, ↓ less is better. "
        y = query.choice("y", "Upwards", keys, words=lambda k: words[k], default=Y, width=330,
                         help=help_ + parse(query.held("y", keys, Y)).help)
        x = query.choice("x", "To the right", keys, words=lambda k: words[k], default=X, width=250,
                         help=help_ + parse(query.held("x", keys, X)).help)
        split = query.choice("split", "Measured on", list(SPLITS), words=lambda k: SPLITS[k], kind="segmented",
                             help="Choose on validation rows, report on test rows: the best of many models looks "
                                  "better on the rows that chose it.")
        with st.popover("More", key="front-more"):
            methods, intervals, baseline, least = _more(found)
    splits = ("val", "test") if split == "both" else (split,)
    return View(x, y, splits, methods, intervals, baseline, least)


def _more(found: Sequence[RunRecord]) -> tuple[tuple[str, ...], bool, bool, int]:
    titles = results.titles()
    there = [name for name in titles if any(run.method == name for run in found)]
    methods = query.several("methods", "Methods shown", there, words=lambda m: titles[m], placeholder="All of them",
                            help="The front is drawn among the methods shown.")
    intervals = query.flag("intervals", "Intervals", default=True, help="95 %, over rows and seeds, on both axes.")
    baseline = query.flag("baseline", "What thresholds alone reach", default=True,
                          help="The most accurate plain model with other thresholds, chosen on validation rows.")
    least = query.whole("min_n", "Leave groups out of the worst below (rows)", 0, 10_000, MIN_ROWS, step=5,
                        help="A group with very few rows is worst by chance alone.")
    return methods, intervals, baseline, least


def chosen_runs(found: Sequence[RunRecord], view: View) -> list[RunRecord]:
    """The runs whose methods are shown."""
    return [run for run in found if not view.methods or run.method in view.methods]
