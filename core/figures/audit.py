"""Figures of an audit: one rate by group with intervals, the map of two attributes, differences, reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import altair as alt
import numpy as np
import pandas as pd

from core.figures.theme import COLORS, CONFIG, NEUTRAL, color_scale, empty_chart, shape_scale, signs

if TYPE_CHECKING:
    from core.audit.audit import Audit

AnyChart = alt.LayerChart | alt.FacetChart | alt.Chart
ROW = 30  # pixels of a group
RATES = ["group", "value", "low", "high", "n", "small", "undefined", "text"]


def group_rates(found: Audit, name: str) -> pd.DataFrame:
    """One metric in every group, groups in the audit's order.

    Returns:
        group, value, low, high (NaN where undefined), n (rows of the group), small (fewer than the limit),
        undefined (the reason or ""), text ("71.2 % (68.1 to 74.0), 512 rows"), and one column per attribute
        ("part:NAME") with the group's value of it.
    """
    rows = []
    for group in found.groups:
        value = group.metrics.get(name)
        if value is None:
            continue
        parts = {f"part:{a}": v for a, v in group.parts.items()}
        rows.append({"group": group.label, "value": value.value, "low": value.low, "high": value.high, "n": group.n,
                     "small": group.small, "undefined": value.undefined or "",
                     "text": said(value.value, value.low, value.high, value.undefined, group.n), **parts})
    return pd.DataFrame(rows) if rows else pd.DataFrame({name: [] for name in RATES})


def said(value: float, low: float, high: float, undefined: str | None, n: float) -> str:
    """ "71.2 % (68.1 to 74.0), 512 rows" or "undefined, 0 positives, 4 rows"."""
    rows = f"{n:,.0f} row{'s' * (n != 1)}"
    if undefined or not np.isfinite(value):
        return f"undefined, {undefined or 'no value'}, {rows}"
    between = f" ({100 * low:.1f} to {100 * high:.1f})" if np.isfinite([low, high]).all() else ""
    return f"{100 * value:.1f} %{between}, {rows}"


def plot_rates(table: pd.DataFrame, *, title: str, overall: float = np.nan, share: bool = True) -> AnyChart:
    """A point with its interval for every group; hollow where the group is small; the value of everyone as a line.

    Args:
        table: of `group_rates`. title: of the axis, with its direction. overall: the value over everyone.
        share: the values are shares (percent).
    """
    known = table[np.isfinite(table["value"].astype(float))] if len(table) else table
    if known.empty:
        return empty_chart("No group in which this is defined")
    data = known[RATES].assign(kind="group", filled=~known["small"].astype(bool))
    data["size_text"] = [f"n = {n:,.0f}" for n in data["n"]]
    if np.isfinite(overall):
        data = pd.concat([data, pd.DataFrame([{"kind": "everyone", "value": overall,
                                               "text": f"everyone: {overall:.3f}"}])], ignore_index=True)
    x = alt.X("value:Q", title=title, axis=alt.Axis(format=".0%" if share else ".2~f", tickCount=8),
              scale=alt.Scale(zero=False, domain=_domain(data), nice=False))
    y = alt.Y("group:N", sort=list(known["group"]), title=None, axis=alt.Axis(labelLimit=300, ticks=False))
    told = [alt.Tooltip("group:N", title="Group"), alt.Tooltip("text:N", title="Value")]
    only = [{"filter": "datum.kind == 'group'"}]
    line = alt.Chart(transform=[{"filter": "datum.kind == 'everyone'"}]).mark_rule(
        color=NEUTRAL, strokeDash=[4, 3]).encode(x, tooltip=[alt.Tooltip("text:N", title="Dashed")])
    bars = alt.Chart(transform=only).mark_rule(strokeWidth=2.5, opacity=0.55, color=COLORS[0]).encode(
        alt.X("low:Q"), alt.X2("high"), y, tooltip=told)
    points = alt.Chart(transform=only).mark_point(size=110, strokeWidth=2, color=COLORS[0]).encode(
        x, y, fill=alt.condition("datum.filled", alt.value(COLORS[0]), alt.value("transparent")), tooltip=told)
    counts = alt.Chart(transform=only).mark_text(align="left", dx=8, color=NEUTRAL, fontSize=11).encode(
        alt.X("high:Q"), y, alt.Text("size_text:N"))
    return alt.layer(line, bars, points, counts, data=data, height={"step": ROW}, config=CONFIG)


def plot_map(table: pd.DataFrame, *, rows: str, columns: str, title: str,
             share: bool = True) -> AnyChart:
    """The values over the intersections of two attributes as cells with their numbers in words.

    Args:
        table: of `group_rates`. rows, columns: names of two attributes. Cells of several groups (a third attribute) are
            not drawn; empty intersections are left blank, not zero.
    """
    at = (f"part:{rows}", f"part:{columns}")
    if table.empty or any(name not in table for name in at):
        return empty_chart("No intersection to draw")
    data = table.rename(columns={at[0]: "row", at[1]: "column"}).dropna(subset=["row", "column"])
    data = data.drop_duplicates(["row", "column"], keep=False)
    if data.empty:
        return empty_chart("No intersection to draw")
    shown = [v if np.isfinite(v) else 0.0 for v in data["value"].astype(float)]
    scale = 100 if share else 1
    texts = [f"{scale * v:.1f}{' %' if share else ''}" if np.isfinite(v) else "undefined" for v in data["value"]]
    data = data[["row", "column", "group", "text", "n"]].assign(
        value=shown, known=np.isfinite(data["value"].astype(float)), label=texts,
        few=[f"n = {n:,.0f}" for n in data["n"]])
    place = {"x": alt.X("column:N", title=columns, axis=alt.Axis(labelAngle=0, labelLimit=140), sort=None),
             "y": alt.Y("row:N", title=rows, axis=alt.Axis(labelLimit=200), sort=None)}
    low, high = float(data["value"].min()), float(data["value"].max())
    color = alt.Color("value:Q", title=title, legend=None,
                      scale=alt.Scale(domain=[low, max(high, low + 1e-9)], range=["#d7e3ee", COLORS[0]]))
    cells = alt.Chart().mark_rect(stroke="white").encode(
        color=alt.condition("datum.known", color, alt.value("transparent")),
        tooltip=[alt.Tooltip("group:N", title="Group"), alt.Tooltip("text:N", title=title)])
    middle = (low + high) / 2
    data["ink"] = np.where(~data["known"], NEUTRAL, np.where(data["value"] > middle, "white", "#1b1f24"))
    ink = alt.Color("ink:N", scale=None, legend=None)
    big = alt.Chart().mark_text(fontSize=13, fontWeight=600, dy=-7).encode(ink, text="label:N")
    small = alt.Chart().mark_text(fontSize=11, dy=9).encode(ink, text="few:N")
    return alt.layer(cells, big, small, data=data, height={"step": 54}, config=CONFIG, encoding=place)


def plot_differences(table: pd.DataFrame, *, title: str, share: bool = True) -> AnyChart:
    """Differences with their intervals against zero, one row each.

    Args:
        table: label, value, low, high, text (tooltip), clear (the interval leaves zero out). title: of the axis.
    """
    known = table[np.isfinite(table["value"].astype(float))] if len(table) else table
    if known.empty:
        return empty_chart("Nothing to compare")
    data = known[["label", "value", "low", "high", "text", "clear"]].assign(clear=known["clear"].astype(bool))
    ends = data[["value", "low", "high"]].to_numpy(float)
    reach = max(float(np.nanmax(np.abs(ends))) * 1.1, 1e-6)
    x = alt.X("value:Q", title=title, axis=alt.Axis(format="+.0%" if share and reach > 0.03 else "+.2~f"),
              scale=alt.Scale(domain=[-reach, reach], nice=False))
    y = alt.Y("label:N", sort=list(data["label"]), title=None, axis=alt.Axis(labelLimit=340, ticks=False))
    told = [alt.Tooltip("label:N", title="Row"), alt.Tooltip("text:N", title="Difference")]
    zero = alt.Chart().mark_rule(color=NEUTRAL).encode(x=alt.XDatum(0))
    bars = alt.Chart().mark_rule(strokeWidth=2.5, opacity=0.55, color=COLORS[0]).encode(
        alt.X("low:Q"), alt.X2("high"), y, tooltip=told)
    points = alt.Chart().mark_point(size=110, strokeWidth=2, color=COLORS[0]).encode(
        x, y, fill=alt.condition("datum.clear", alt.value(COLORS[0]), alt.value("transparent")), tooltip=told)
    return alt.layer(zero, bars, points, data=data, height={"step": ROW}, config=CONFIG)


def plot_shrunken(table: pd.DataFrame, *, title: str, common: float = np.nan) -> AnyChart:
    """Each group's raw rate (hollow) beside the one that borrows strength (filled, with its interval); the common rate
    dashed.

    Args:
        table: group, raw, value, low, high, text (tooltip). title: of the axis. common: the common rate.
    """
    known = table[np.isfinite(table["value"].astype(float))] if len(table) else table
    if known.empty:
        return empty_chart("Too few groups to borrow from each other")
    data = known[["group", "raw", "value", "low", "high", "text"]].assign(common=common)
    ends = data[["raw", "value", "low", "high"]].to_numpy(float)
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    margin = max(0.05 * (high - low), 0.01)
    x = alt.X("value:Q", title=title, axis=alt.Axis(format=".0%", tickCount=8),
              scale=alt.Scale(zero=False, domain=[max(0.0, low - margin), min(1.0, high + margin)], nice=False))
    y = alt.Y("group:N", sort=list(data["group"]), title=None, axis=alt.Axis(labelLimit=300, ticks=False))
    told = [alt.Tooltip("group:N", title="Group"), alt.Tooltip("text:N", title="Rate")]
    line = alt.Chart().mark_rule(color=NEUTRAL, strokeDash=[4, 3]).encode(alt.X("common:Q"))
    bars = alt.Chart().mark_rule(strokeWidth=2.5, opacity=0.55, color=COLORS[0]).encode(
        alt.X("low:Q"), alt.X2("high"), y, tooltip=told)
    raw = alt.Chart().mark_point(size=90, strokeWidth=2, color=NEUTRAL, filled=False).encode(
        alt.X("raw:Q"), y, tooltip=told)
    points = alt.Chart().mark_point(size=110, filled=True, opacity=1, color=COLORS[0]).encode(x, y, tooltip=told)
    layers = [line, bars, raw, points] if np.isfinite(common) else [bars, raw, points]
    return alt.layer(*layers, data=data, height={"step": ROW}, config=CONFIG)


def plot_reliability(table: pd.DataFrame, *, group_order: Sequence[str] = ()) -> AnyChart:
    """What happened against what was said, by group; the diagonal is a score that means what it says.

    Args:
        table: group, predicted, observed, low, high, n: one row per group and bin.
    """
    known = table.dropna(subset=["predicted", "observed"]) if len(table) else table
    if known.empty:
        return empty_chart("No scores to check")
    marks: Mapping = {g: s for g, s in signs([*group_order, *known["group"]]).items() if g in set(known["group"])}
    data = known[["group", "predicted", "observed", "low", "high", "n"]].assign(kind="bin")
    ends = pd.DataFrame({"predicted": [0.0, 1.0], "observed": [0.0, 1.0], "kind": "diagonal"})
    data = pd.concat([data, ends], ignore_index=True)
    percent = alt.Axis(format=".0%", tickCount=6)
    x = alt.X("predicted:Q", title="Mean score of the bin", axis=percent, scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("observed:Q", title="Share that was really positive", axis=percent, scale=alt.Scale(domain=[0, 1]))
    color = alt.Color("group:N", title=None, scale=color_scale(marks))
    only = [{"filter": "datum.kind == 'bin'"}]
    diagonal = alt.Chart(transform=[{"filter": "datum.kind == 'diagonal'"}]).mark_line(
        color=NEUTRAL, strokeDash=[4, 3], strokeWidth=1).encode(x, y)
    bars = alt.Chart(transform=only).mark_rule(opacity=0.4, strokeWidth=1.5).encode(
        x, alt.Y("low:Q"), alt.Y2("high"), color)
    lines = alt.Chart(transform=only).mark_line(strokeWidth=1.5, opacity=0.7).encode(
        x, y, color, order=alt.Order("predicted:Q"))
    points = alt.Chart(transform=only).mark_point(filled=True, size=80).encode(
        x, y, color, alt.Shape("group:N", title=None, scale=shape_scale(marks)),
        tooltip=[alt.Tooltip("group:N", title="Group"), alt.Tooltip("predicted:Q", title="Mean score", format=".1%"),
                 alt.Tooltip("observed:Q", title="Really positive", format=".1%"),
                 alt.Tooltip("n:Q", title="Rows", format=",")])
    return alt.layer(diagonal, bars, lines, points, data=data, height=380, config=CONFIG)


def _domain(data: pd.DataFrame) -> list[float]:
    ends = data[["value", "low", "high"]].to_numpy(float)
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    margin = max(0.08 * (high - low), 0.01)
    return [low - margin if low > margin else min(low, 0.0), high + 2 * margin]
