"""The front's parts on the screen: charts, numbers under them, hypervolume."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.figures.front import front_spec, hypervolume_table, plot_front
from pages._ui import charts, picked, tables
from pages._ui.front import SPLIT_WORDS, View
from pages._ui.front_data import Front
from pages._ui.text import clean, count

LABELS = ["title", "settings"]
KEY = ("Solid line and larger marks: the front. Dotted ring: plain training. {bars}{dashed}Click a point to open the "
       "model.")


def fronts(now: Front, view: View) -> None:
    """One chart a split, beside each other where there are two; a click on a point is a selection."""
    for place, split in zip(st.columns(len(view.splits)), view.splits, strict=True):
        table, chosen = now.tables[split], picked.shown(now.tables[split])
        make = partial(_chart, table, x=view.x, y=view.y, selected=chosen, baseline=now.behind[split],
                       show_intervals=view.intervals, order=now.order)
        measured = bool(table[["x", "y"]].notna().all(axis=1).any())  # no point yet: nothing to click
        click = {"on_select": "rerun", "selection_mode": "pick"} if measured else {}
        with place:
            if len(view.splits) > 1:
                st.caption(f"**On {SPLIT_WORDS[split]}**")
            charts.show(make, picked.key(split) + ("" if measured else "-empty"),
                        f"Trade-off front on {SPLIT_WORDS[split]}. {now.answer}",
                        same=f"{now.version}:{view}:{split}:{chosen}", **click)
    if any(table[["x", "y"]].notna().all(axis=1).any() for table in now.tables.values()):
        st.caption(KEY.format(
            bars="Bars: 95 % intervals. " if view.intervals else "",
            dashed="Dashed lines: plain training with other thresholds alone. "
            if any(behind is not None for behind in now.behind.values()) else ""))


def _chart(table: pd.DataFrame, **more: Any) -> Any:
    return front_spec(table, **more) or plot_front(table, **more)


def standing(table: pd.DataFrame) -> str:
    """ "5 of 14 settings are on the front; its knee is Group DRO (η = 0.1)." Not escaped."""
    on = int(table["on_front"].astype(bool).sum())
    if not on:
        return ""
    knee = table[table["knee"].astype(bool)]
    words = "; beyond its knee, " + f"{knee.iloc[0]['title']} ({knee.iloc[0]['settings']}), a gain costs more" \
        if len(knee) else ""
    return f"{on} of {count(len(table), 'setting')} {'is' if on == 1 else 'are'} on the front{words}."


def numbers(table: pd.DataFrame, view: View, split: str) -> None:
    """The chart's numbers as a table, with the download, and what each method's points cover."""
    st.subheader(f"The numbers, on {SPLIT_WORDS[split]}", anchor=False)
    axes = [f"{axis}{end}" for axis in "yx" for end in ("", "_low", "_high")]
    shown = table[[*LABELS, "n_seeds", *axes, "on_front", "front_share", "state"]]
    config = {
        "title": st.column_config.TextColumn("Method", pinned=True),
        "settings": st.column_config.TextColumn("Settings", width="medium"),
        "n_seeds": st.column_config.NumberColumn("Seeds", help="Runs that were averaged; diverged ones are left out"),
        **tables.axis_columns("y", view.y), **tables.axis_columns("x", view.x),
        "on_front": st.column_config.CheckboxColumn("On the front"),
        "front_share": st.column_config.NumberColumn(
            "On it in worlds", format="percent",
            help="Rows and seeds are drawn again many times; the share of these worlds in which it is on the front"),
        "state": st.column_config.TextColumn("State"),
    }
    texts = {name: [clean(v) for v in shown[name]] for name in LABELS}
    st.dataframe(shown.assign(**texts), hide_index=True, column_config=config, key=f"numbers-{split}", height="content",
                 alt="The settings on the front's two measures with intervals")
    tables.download(shown.assign(split=split, x_measure=view.x, y_measure=view.y), f"front-{split}", "front-csv")
    covered = hypervolume_table(table, x=view.x, y=view.y)
    if len(covered) > 1:
        st.caption("**Hypervolume by method**: the share of the box between the worst and the best values shown that "
                   "the method's points cover; 1 would be best on both.")
        st.dataframe(covered[["title", "n_settings", "hypervolume"]], hide_index=True, height="content", column_config={
            "title": st.column_config.TextColumn("Method"),
            "n_settings": st.column_config.NumberColumn("Settings"),
            "hypervolume": st.column_config.ProgressColumn("Hypervolume", min_value=0, max_value=1, format="%.3f"),
        }, key="hypervolume", alt="Hypervolume of every method")
