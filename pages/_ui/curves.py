"""What the learning curves show: models, metric, groups, rows; all of it in the address. And what is drawn of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from core import registry
from core.counts import partition_labels
from core.figures.answer import best_run
from core.figures.curves import LOSS, curves_table, plot_curves, selection_marks
from core.figures.gather import setting_words
from core.metrics.measure import measures, parse
from core.types import History, RunRecord, Task
from pages._ui import charts, query, run_picker, tables
from pages._ui.text import clean

BY = {"attr": "Group", "class": "Class", "subgroup": "Class × group", "all": "Everyone"}
ROWS = {"train": "Training", "val": "Validation", "test": "Test"}
HEIGHT, WIDTHS = 380, {2: 540}
PANELS = {"setting": "A chart each model", "group": "A chart each group", "none": "One chart"}


@dataclass(frozen=True)
class View:
    """models: first runs' keys, the main one first; metric: a measure's key or "loss"; by: the partition; rows: splits;
    panels: as in plot_curves; marks: whether selection marks are drawn; groups: labels shown (empty: all)."""

    models: tuple[str, ...]
    metric: str
    by: str
    rows: tuple[str, ...]
    panels: str
    marks: bool
    groups: tuple[str, ...]


def controls(task: Task, found: Sequence[RunRecord], known: Mapping[str, History]) -> View:
    """Two compact rows; the rest under More."""
    names = run_picker.names(found)
    with st.container(horizontal=True, vertical_alignment="bottom", key="curves-models"):
        main = run_picker.pick_setting("Model", found, default_model(task, found, known), width=420)
        others = [key for key in run_picker.settings(found) if key != main]
        more = query.several("with", "Compare with", others, words=lambda k: names[k], width=420,
                             placeholder="other models", max_selections=8)
    keys = [LOSS, *measures(task.n_classes)]
    with st.container(horizontal=True, vertical_alignment="bottom", key="curves-controls"):
        metric = query.choice("metric", "What", keys, default="accuracy", width=300,
                              words=lambda k: "Loss (cross-entropy)" if k == LOSS else parse(k).title)
        one = metric != LOSS and bool(parse(metric).how)
        by = query.choice("by", "For each", list(BY), words=lambda k: BY[k], kind="segmented", disabled=one,
                          help="A measure that compares groups is one line for all of them." if one else None)
        with st.popover("More", key="curves-more"):
            rows, panels, marks, groups = _more(task, by)
    return View((main, *more), metric, by, rows, panels, marks, groups)


def _more(task: Task, by: str) -> tuple[tuple[str, ...], str, bool, tuple[str, ...]]:
    rows = query.several("on", "Measured on", list(ROWS), words=lambda k: ROWS[k], default=("val",),
                         help="Training rows are a fixed sample where there are many.")
    panels = query.choice("panels", "Layout", list(PANELS), words=lambda k: PANELS[k], kind="segmented")
    marks = query.flag("marks", "Where each rule would stop", default=True)
    labels = partition_labels(by, task.classes, task.attr_labels)
    numbers = [str(k) for k in range(len(labels))]
    picked = query.several(f"only_{by}", "Groups shown", numbers, words=lambda k: clean(labels[int(k)], 60),
                           placeholder="All of them")
    return rows or ("val",), panels, marks, tuple(labels[int(k)] for k in picked)


def default_model(task: Task, found: Sequence[RunRecord], known: Mapping[str, History]) -> str:
    """The plain model that is best on validation rows, else whatever came first."""
    plain = [run for run in found if run.method == "erm" and not run.parent] or list(found)
    best = best_run(plain, known, classes=task.classes, attr_labels=task.attr_labels)
    return run_picker.first_of(found, (best or found[0]).key)


def lines(task: Task, runs: Sequence[RunRecord], known: Mapping[str, History], view: View,
          every: Sequence[RunRecord]) -> pd.DataFrame:
    """The curves of the chosen models and groups; settings in the words that tell them from all of the study."""
    table = curves_table(runs, known, metric=view.metric, partition=view.by, splits=view.rows, classes=task.classes,
                         attr_labels=task.attr_labels, methods=registry.methods())
    one = view.metric != LOSS and parse(view.metric).how
    return _named(table if one or not view.groups else table[table["group"].isin(view.groups)], every)


def stops(task: Task, runs: Sequence[RunRecord], known: Mapping[str, History],
          every: Sequence[RunRecord]) -> pd.DataFrame:
    """What each selection rule would pick of the chosen models."""
    return _named(selection_marks(runs, known, classes=task.classes, attr_labels=task.attr_labels, min_n=10,
                                  methods=registry.methods()), every)


def _named(table: pd.DataFrame, every: Sequence[RunRecord]) -> pd.DataFrame:
    words = setting_words(every, registry.methods())
    return table.assign(settings=[clean(words[ident], 100) for ident in table["id"]])


def chart(task: Task, table: pd.DataFrame, marks: pd.DataFrame, view: View, said: str) -> None:
    """The lines; one element for the whole training, so that it keeps its place."""
    make = partial(plot_curves, table, metric=view.metric, panels=view.panels, marks=marks if view.marks else None,
                   group_order=partition_labels(view.by, task.classes, task.attr_labels), height=HEIGHT,
                   panel_width=WIDTHS.get(len(view.models), 360))
    charts.show(make, "curves-chart", f"Learning curves. {said}")


def stops_table(marks: pd.DataFrame) -> None:
    """The selection rules' picks, with what they reach on test rows."""
    share = {name: st.column_config.NumberColumn(title, format="percent", help="On test rows, at that iteration")
             for name, title in (("average", "Accuracy"), ("worst group", "Worst class × group"),
                                 ("worst class", "Worst class"))}
    several = ["picked"] if marks["id"].nunique() > 1 else []
    st.dataframe(
        marks[["rule", "title", "settings", "iteration", "value", *share, *several]],
        hide_index=True, height="content", key="stops", alt="Which iteration each selection rule would pick",
        column_config={
            "rule": st.column_config.TextColumn("Rule: best", pinned=True),
            "title": st.column_config.TextColumn("Method"),
            "settings": st.column_config.TextColumn("Settings"),
            "iteration": st.column_config.NumberColumn("Iteration", format="localized"),
            "value": st.column_config.NumberColumn("On validation", format="percent", help="What the rule saw"),
            "picked": st.column_config.CheckboxColumn("Preferred", help="Of all models shown"), **share})
    tables.download(marks, "selection-rules", "stops-csv", "Download this table as CSV")
