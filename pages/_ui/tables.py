"""Tables of numbers: shares with intervals as people read them, undefined ones with their reason, and the download."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import registry
from core.metrics.measure import parse
from pages._ui.text import clean

WIDE = 158  # pixels: "100.0 % (90.8–100.0)"
FORMULA = ("=", "+", "-", "@")  # how a spreadsheet knows a formula


def cell(value: float, low: float, high: float, reason: str, *, share: bool = True) -> str:
    """ "71.2 % (68.1–74.0)", or "undefined, 0 positives"."""
    if not np.isfinite(value):
        return f"undefined, {reason}" if reason else "undefined"
    scale, digits = (100, 1) if share else (1, 2)
    text = f"{scale * value:.{digits}f}" + (" %" if share else "")
    known = np.isfinite(low) and np.isfinite(high)
    return text + (f" ({scale * low:.{digits}f}–{scale * high:.{digits}f})" if known else "")


def rates(table: pd.DataFrame, metrics: Sequence[str], *, key: str, alt: str, before: Sequence[str] = ("n",)) -> None:
    """A table of groups (by_group_table, rule_table): names, the columns in `before`, and every metric in words."""
    shown = pd.DataFrame({"group": [clean(g) for g in table["group"]]})
    config: dict[str, Any] = {"group": st.column_config.TextColumn("Group", pinned=True, width="medium")}
    for name in before:
        shown[name] = table[name].where(table["kind"].isin(["group", "everyone"])).to_numpy()
        config[name] = _plain_column(name)
    for name in metrics:
        metric = registry.metric(name)
        shown[name] = [cell(v, low, high, why, share=metric.bounds == (0.0, 1.0) and kind != "ratio")
                       for v, low, high, why, kind in zip(table[name], table[f"{name}_low"], table[f"{name}_high"],
                                                          table[f"{name}_undefined"], table["kind"], strict=True)]
        config[name] = st.column_config.TextColumn(metric.title, help=metric.help, alignment="right", width=WIDE)
    st.dataframe(shown, hide_index=True, column_config=config, key=key, alt=alt, height="content", placeholder="")


def download(frame: pd.DataFrame, name: str, key: str, label: str = "Download as CSV") -> None:
    """The same numbers as a CSV file, unrounded."""
    st.download_button(label, lambda: csv(frame), f"{name}.csv", "text/csv", key=key, on_click="ignore",
                       type="tertiary", icon=":material/download:", help="The numbers of this table, unrounded.")


def csv(frame: pd.DataFrame) -> bytes:
    """UTF-8 CSV in which no text can act as a formula of a spreadsheet."""
    texts = frame.select_dtypes(["str", "object"]).columns
    safe = frame.assign(**{c: [_harmless(v) for v in frame[c]] for c in texts})
    return safe.to_csv(index=False).encode("utf-8-sig")


def axis_columns(axis: str, key: str) -> dict[str, Any]:
    """Column settings for NAME, NAME_low and NAME_high of an axis of the front."""
    measure = parse(key)
    form = "percent" if measure.bounds == (0.0, 1.0) else "%.3f"
    number = st.column_config.NumberColumn
    return {axis: number(measure.title, format=form, help=measure.help),
            f"{axis}_low": number("from", format=form, help="Lower end of the 95 % interval"),
            f"{axis}_high": number("to", format=form, help="Upper end of the 95 % interval")}


def _plain_column(name: str) -> Any:
    number = st.column_config.NumberColumn
    return {"n": number("Rows", format="localized", help="Rows of the group, unweighted"),
            "threshold": number("Threshold", format="%.3f", help="Positive where the score is at least this"),
            "selected": number("Selected", format="localized", help="How many are predicted positive (weighted)"),
            }[name]


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
