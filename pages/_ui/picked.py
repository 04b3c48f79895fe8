"""A click on a point of the front becomes ?run=: the chart's selection is read once, then the address holds it."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from pages._ui import query, run_picker


def key(split: str) -> str:
    """The chart's key."""
    return f"front-{split}"


def read(tables: Mapping[str, pd.DataFrame]) -> None:
    """Take over what was clicked since the last run of the page, if anything."""
    for split, table in tables.items():
        mine = key(split)
        if mine not in st.session_state:  # first time, or back from another screen
            st.session_state[f"{mine}:before"] = ""
            continue
        points = st.session_state[mine]["selection"].get("pick") or []
        now = points[0].get("id", "") if points else ""
        if now != st.session_state.get(f"{mine}:before", ""):
            st.session_state[f"{mine}:before"] = now
            query.put(run_picker.RUN, first_run(table, now))


def first_run(table: pd.DataFrame, ident: str) -> str:
    """Key of a setting's first run, "" where it is not in the table."""
    keys = table.loc[table["id"] == ident, "run_keys"]
    return keys.iloc[0][0] if len(keys) else ""


def shown(table: pd.DataFrame) -> list[str]:
    """Ids of the settings that ?run= names: one or none."""
    held = query.held(run_picker.RUN, None, "")
    return [ident for ident, keys in zip(table["id"], table["run_keys"], strict=True) if held and held in keys]
