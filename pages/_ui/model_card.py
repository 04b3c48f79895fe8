"""One model of the front: what it is, what it does to every group, and where to look further."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core import registry
from core.figures.answer import amount
from core.figures.by_group import by_group_table, extremes_in_words, metric_names
from core.metrics.measure import parse
from core.types import History, RunRecord, Task
from pages._ui import nav, tables
from pages._ui.front import SPLIT_WORDS, View
from pages._ui.text import count, percent, plain


def show(task: Task, runs: Sequence[RunRecord], known: Mapping[str, History], row: pd.Series, view: View,
         split: str) -> None:
    """The panel under the front.

    Args:
        runs: the runs of the setting, seeds. row: the setting's row of the front table on `split`.
    """
    run = runs[0]
    with st.container(border=True, key="model"):
        st.subheader(plain(f"{row['title']}: {row['settings']}", 200), anchor=False)
        st.write(facts(row, view, split))
        speaks = [f"{plain(parse(axis).title)}: {plain(words, 200)}." for axis in (view.y, view.x)
                  if (words := extremes_in_words(runs, known, axis, split=split, min_n=view.min_n, classes=task.classes,
                                                 attr_labels=task.attr_labels))]
        if speaks:
            st.caption(f"Of whom that speaks, seeds averaged. {' '.join(speaks)}")
        with st.container(horizontal=True, vertical_alignment="center"):
            nav.link("curves", "Learning curves", run=run.key, help="Who learns when, in this model")
            nav.link("thresholds", "Thresholds", run=run.key, disabled=task.n_classes != 2,
                     help="Move the line between yes and no, one for everybody or one for each group")
        names = metric_names(task.n_classes)
        found = by_group_table(runs, known, metrics=names, split=split, classes=task.classes,
                               attr_labels=task.attr_labels)
        if not found.empty:
            st.caption(f"By group on {SPLIT_WORDS[split]}, seeds averaged; in brackets the 95 % interval over rows.")
            tables.rates(found, names, key=f"model-{split}", alt="Rates of every group for the chosen model")
        method = registry.methods().get(run.method)
        if method is not None and method.known_failures:
            st.caption(f"**Known failures of {plain(method.title)}.** {plain(method.known_failures, 600)}")


def facts(row: pd.Series, view: View, split: str) -> str:
    """One or two sentences, escaped."""
    mx, my = parse(view.x), parse(view.y)
    told = [f"{plain(my.title)} **{amount(row['y'], my)}**, {plain(mx.title)} **{amount(row['x'], mx)}** on "
            f"{SPLIT_WORDS[split]}, mean of {count(row['n_seeds'], 'seed')}."]
    share = row["front_share"]
    told.append(("On the front" if row["on_front"] else "Not on the front")
                + (f", and in {percent(share, 0)} of bootstrap worlds." if share == share else "."))
    if row["diverged"]:
        told.append(f"{count(row['diverged'], 'run')} diverged and {'is' if row['diverged'] == 1 else 'are'} left out.")
    return " ".join(told)
