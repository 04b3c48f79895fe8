"""What a rule does: the table by group, the sweep, and the spread of scores, each drawn only while it is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape, unescape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core import registry
from core.figures.histogram import histogram_table, plot_histogram
from core.figures.roc import area_table, plot_pr, plot_roc, roc_table
from core.figures.thresholds import RATES, plot_sweep, rule_table, sweep_table
from core.metrics.measure import is_about_models
from core.types import Scores, Task
from pages._ui import query, tables
from pages._ui.text import clean

TABS = ("Sweep", "Scores", "ROC", "Precision and recall")
PLOT, ENTRY = 360, 20  # pixels: the plot's own, and what an entry of the legend may need on a narrow screen
MODEBAR = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}


def numbers(scores: Scores, values: np.ndarray, labels: Sequence[str]) -> pd.DataFrame:
    """The rule's table on these rows."""
    return rule_table(scores.score[0], scores.y, scores.attr, values, attr_labels=labels, weight=scores.w)


def table(found: pd.DataFrame, rows: str) -> None:
    """Groups, sizes, rates with intervals, reasons where undefined."""
    same = found.loc[found["kind"] == "group", "threshold"].nunique() == 1
    tables.rates(found, RATES, key=f"rule-{rows}", before=("n", "selected") if same else ("threshold", "n", "selected"),
                 alt="Rates of every group under the chosen thresholds")
    tables.download(found, f"rule-{rows}", f"rule-csv-{rows}")


def plots(run: str, rows: str, scores: Scores, values: np.ndarray, task: Task) -> None:
    """The tabs under the table."""
    labels = [escape(clean(label, 60), quote=False) for label in task.attr_labels]  # Plotly reads tags in texts
    at = dict(zip(labels, values.tolist(), strict=True))
    opened = st.tabs(TABS, key="rule-tabs", on_change="rerun")
    draw = (_sweep, _scores, _roc, _pr)
    for tab, show in zip(opened, draw, strict=True):
        if tab.open:
            with tab:
                show(f"{run}:{rows}", scores, at, labels, task.classes)


def _show(figure: go.Figure, name: str, alt: str) -> None:
    named = sum(trace.showlegend is not False and bool(trace.name) for trace in figure.data)
    figure.update_layout(height=max(figure.layout.height, PLOT + ENTRY * named))
    st.plotly_chart(figure, key=f"rule-{name}", config=MODEBAR, alt=alt)


def _sweep(key: str, scores: Scores, at: Mapping[str, float], labels: list[str], classes: Sequence[str]) -> None:
    names = [name for name, metric in registry.metrics().items() if is_about_models(metric)]
    metric = query.choice("sweep", "Metric", names, words=lambda n: registry.metric(n).title, default="selection_rate",
                          width=280)
    found = _sweep_table(key, metric, tuple(labels), scores)
    _show(plot_sweep(found, metric=metric, thresholds=at, group_order=labels), "sweep",
          f"{registry.metric(metric).title} of every group against a threshold, with the chosen thresholds marked")


def _scores(key: str, scores: Scores, at: Mapping[str, float], labels: list[str], classes: Sequence[str]) -> None:
    found = histogram_table(scores.score[0], scores.y, scores.attr, attr_labels=labels,
                            classes=[escape(clean(c, 60), quote=False) for c in classes], weight=scores.w)
    _show(plot_histogram(found, thresholds=at, group_order=labels), "scores",
          "Histogram of scores in every group, by true class, with the chosen thresholds")


def _roc(key: str, scores: Scores, at: Mapping[str, float], labels: list[str], classes: Sequence[str]) -> None:
    curve, areas = _curves(key, tuple(labels), scores)
    _show(plot_roc(curve, areas=areas, thresholds=at, group_order=labels), "roc", "ROC curve of every group")
    _areas(areas)


def _pr(key: str, scores: Scores, at: Mapping[str, float], labels: list[str], classes: Sequence[str]) -> None:
    curve, areas = _curves(key, tuple(labels), scores)
    _show(plot_pr(curve, areas=areas, thresholds=at, group_order=labels), "pr", "Precision against recall, every group")
    _areas(areas)


def _areas(areas: pd.DataFrame) -> None:
    shown = pd.DataFrame({
        "group": [unescape(g) for g in areas["group"]], "positives": areas["positives"],
        "negatives": areas["negatives"],
        "auc": [tables.cell(*row, share=False) for row in
                zip(areas["auc"], areas["auc_low"], areas["auc_high"], areas["undefined"], strict=True)],
        "ap": [tables.cell(v, np.nan, np.nan, why, share=False) for v, why in
               zip(areas["average_precision"], areas["undefined"], strict=True)]})
    text = st.column_config.TextColumn
    st.dataframe(shown, hide_index=True, height="content", key="areas", alt="Areas under the curves by group",
                 column_config={"group": text("Group", pinned=True), "positives": "Positives", "negatives": "Negatives",
                                "auc": text("Area under the ROC curve (DeLong)", alignment="right"),
                                "ap": text("Average precision", alignment="right")})


@st.cache_resource(show_spinner=False, max_entries=30)
def _sweep_table(key: str, metric: str, labels: tuple[str, ...], _scores: Scores) -> pd.DataFrame:
    return sweep_table(_scores.score[0], _scores.y, _scores.attr, attr_labels=labels, metrics=(metric,),
                       weight=_scores.w)


@st.cache_resource(show_spinner=False, max_entries=12)
def _curves(key: str, labels: tuple[str, ...], _scores: Scores) -> tuple[pd.DataFrame, pd.DataFrame]:
    given = (_scores.score[0], _scores.y, _scores.attr)
    return (roc_table(*given, attr_labels=labels, weight=_scores.w),
            area_table(*given, attr_labels=labels, weight=_scores.w))
