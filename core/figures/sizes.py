"""How many rows every group and class has, with what is too small to measure."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from core.figures.theme import CONFIG, NEUTRAL, color_scale, empty_chart, signs

PARTS = {"n": "All rows", "n_train": "Training rows", "n_val": "Validation rows", "n_test": "Test rows"}


def plot_sizes(table: pd.DataFrame, *, column: str = "n",
               class_order: Sequence[str] = (), shares: bool = False) -> alt.LayerChart | alt.FacetChart | alt.Chart:
    """Bars of rows per group, stacked by class; a group with a warning carries a mark that tells it.

    Args:
        table: columns group, class, n, share, and where splits are made n_train, n_val, n_test and warning.
        column: which number is drawn. class_order: all classes, so that each keeps its colour.
        shares: every bar is drawn as long as the others, so that the classes' shares within groups are compared.
    """
    if table.empty:
        return empty_chart("No rows")
    classes = list(dict.fromkeys(table["class"].astype(str)))
    kept = signs([*class_order, *(c for c in classes if c not in class_order)])
    warning = table["warning"].astype(str) if "warning" in table else pd.Series("", index=table.index)
    total = table.groupby("group")[column].transform("sum")
    data = pd.DataFrame({
        "group": table["group"].astype(str), "class": table["class"].astype(str), "rows": table[column].astype(int),
        "place": table["class"].astype(str).map({c: i for i, c in enumerate(classes)}), "total": total,
        "share_text": [f"{100 * r / t:.1f} % of the group" if t else "undefined, 0 rows"
                       for r, t in zip(table[column], total, strict=True)],
        "warning": warning,
    })
    few = data[data["warning"] != ""].groupby("group", sort=False)["warning"].agg(lambda w: "; ".join(dict.fromkeys(w)))
    data["flag"] = data["group"].map(few.to_dict().get).astype(object).where(data["group"].isin(few.index), "")
    order = list(dict.fromkeys(data["group"]))
    y = alt.Y("group:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    counted = alt.Axis(format=",d", tickCount=6, labelFlush=True)
    x = alt.X("rows:Q", title=PARTS.get(column, column), stack="zero", axis=counted)
    if shares:
        x = alt.X("rows:Q", title="Share of the group's rows", stack="normalize", axis=alt.Axis(format=".0%"))
    bars = alt.Chart().mark_bar().encode(
        x, y,
        alt.Color("class:N", title=None, scale=color_scale({c: kept[c] for c in classes})), alt.Order("place:Q"),
        tooltip=[alt.Tooltip("group:N", title="Group"), alt.Tooltip("class:N", title="Class"),
                 alt.Tooltip("rows:Q", title="Rows", format=","), alt.Tooltip("share_text:N", title="Share"),
                 alt.Tooltip("warning:N", title="Note")])
    flags = alt.Chart(transform=[{"filter": "datum.flag != '' && datum.place == 0"}]).mark_text(
        align="left", dx=6, color=NEUTRAL, fontSize=12).encode(
        alt.X("total:Q"), y, alt.TextValue("⚠ few rows"),
        tooltip=[alt.Tooltip("flag:N", title="Note")])
    return alt.layer(*([bars] if shares else [bars, flags]), data=data, height={"step": 26}, config=CONFIG)
