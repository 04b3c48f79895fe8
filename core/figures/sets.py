"""Sets of classes by group: what they hold, and what a policy trades between coverage and size."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from core.audit.conformal import SETS, Conformal, PolicySets
from core.figures.theme import COLORS, CONFIG, NEUTRAL, empty_chart

AnyChart = alt.LayerChart | alt.FacetChart | alt.Chart
WORDS = {"none": "no class", "one, right": "one class, the right one", "one, wrong": "one class, a wrong one",
         "several": "several classes"}
SHADES = ("#e4e4e4", COLORS[0], COLORS[4], "#a9c4d8")  # in the order of SETS
INKS = ("#1b1f24", "white", "white", "#1b1f24")
NAMES = {"pooled": "one threshold for all", "group": "own thresholds", "size": "equal sizes"}
WIDE = 0.07  # narrower parts carry no number


def sets_table(policy: PolicySets) -> pd.DataFrame:
    """What the sets of every group hold.

    Returns:
        group, part (words), place (order), left, right (ends of the part, shares), label ("12 %" or ""), text (for the
        tooltip).
    """
    rows = []
    for group in policy.groups:
        if not group.n:
            continue
        left = 0.0
        for place, name in enumerate((SETS[1], SETS[3], SETS[0], SETS[2])):
            value = group.shares[name]
            rows.append({"group": group.label, "part": WORDS[name], "place": place, "left": left,
                         "right": left + value.value, "label": f"{100 * value.value:.0f} %" if value.value >= WIDE else
                         "", "text": f"{100 * value.value:.1f} % ({100 * value.low:.1f} to {100 * value.high:.1f}), "
                         f"{group.n:,} rows"})
            left += value.value
    return pd.DataFrame(rows, columns=["group", "part", "place", "left", "right", "label", "text"])


def plot_sets(table: pd.DataFrame) -> AnyChart:
    """One bar a group, cut into what its sets hold; the parts keep their order and carry their numbers.

    Args:
        table: of `sets_table`.
    """
    data = table[table["right"] > table["left"]] if len(table) else table
    if data.empty:
        return empty_chart("No sets to draw")
    shade = {WORDS[name]: c for name, c in zip(SETS, SHADES, strict=True)}
    ink = {WORDS[name]: c for name, c in zip(SETS, INKS, strict=True)}
    data = data.assign(middle=(data["left"] + data["right"]) / 2, ink=data["part"].map(ink).astype(str))
    order = [WORDS[name] for name in (SETS[1], SETS[3], SETS[0], SETS[2])]
    groups = list(dict.fromkeys(data["group"]))
    y = alt.Y("group:N", sort=groups, title=None, axis=alt.Axis(labelLimit=300, ticks=False))
    x = alt.X("left:Q", title="Share of the group's sets", axis=alt.Axis(format=".0%"),
              scale=alt.Scale(domain=[0, 1], nice=False))
    bars = alt.Chart().mark_bar(stroke="white").encode(
        x, alt.X2("right"), y,
        color=alt.Color("part:N", title="The set holds", sort=order,
                        scale=alt.Scale(domain=order, range=[shade[name] for name in order])),
        tooltip=[alt.Tooltip("group:N", title="Group"), alt.Tooltip("part:N", title="The set holds"),
                 alt.Tooltip("text:N", title="Share")])
    words = alt.Chart().mark_text(fontSize=12).encode(
        alt.X("middle:Q"), y, alt.Color("ink:N", scale=None, legend=None), text="label:N")
    return alt.layer(bars, words, data=data, height={"step": 34}, config=CONFIG).resolve_scale(color="independent")


def path_table(found: Conformal) -> pd.DataFrame:
    """The way from one threshold to own thresholds, and equal sizes, as gaps between groups.

    Returns:
        kind ("way" or "policy"), t (0 to 1, NaN for equal sizes), name (words for the policies, else ""), and coverage,
        size with their ends; no rows where fewer than two groups can be compared.
    """
    way = found.path.rename(columns={"coverage_gap": "coverage", "size_gap": "size"}).assign(kind="way", name="")
    ends = [{"kind": "policy", "t": {"pooled": 0.0, "group": 1.0}.get(key, np.nan), "name": NAMES[key],
             "coverage": p.coverage_gap.value, "coverage_low": p.coverage_gap.low, "coverage_high": p.coverage_gap.high,
             "size": p.size_gap.value, "size_low": p.size_gap.low, "size_high": p.size_gap.high}
            for key, p in found.policies.items()]
    table = pd.concat([way, pd.DataFrame(ends)], ignore_index=True)
    return table[np.isfinite(table["coverage"]) & np.isfinite(table["size"])].reset_index(drop=True)


def plot_path(table: pd.DataFrame) -> AnyChart:
    """Gap of coverage against gap of size: policies as marks with intervals and names, the way between as small dots.

    Args:
        table: of `path_table`.
    """
    if table.empty:
        return empty_chart("Fewer than two groups to compare")
    data = table.assign(text=[f"{100 * c:.1f} points of coverage, {s:.2f} classes" for c, s in
                              zip(table["coverage"], table["size"], strict=True)])
    x = alt.X("size:Q", title="Largest difference in mean set size (← fairer)", scale=alt.Scale(zero=True))
    y = alt.Y("coverage:Q", title="Largest difference in coverage (fairer ↓)", axis=alt.Axis(format=".0%"),
              scale=alt.Scale(zero=True))
    only = [{"filter": "datum.kind == 'policy'"}]
    told = [alt.Tooltip("name:N", title="Policy"), alt.Tooltip("t:Q", title="Way", format=".1f"),
            alt.Tooltip("text:N", title="Gaps")]
    dots = alt.Chart(transform=[{"filter": "datum.kind == 'way'"}]).mark_line(
        point=alt.OverlayMarkDef(size=18, color=NEUTRAL), color=NEUTRAL, strokeWidth=1).encode(
        x, y, order=alt.Order("t:Q"))
    up = alt.Chart(transform=only).mark_rule(opacity=0.4, color=COLORS[0]).encode(
        x, alt.Y("coverage_low:Q"), alt.Y2("coverage_high"))
    across = alt.Chart(transform=only).mark_rule(opacity=0.4, color=COLORS[0]).encode(
        alt.X("size_low:Q"), alt.X2("size_high"), y)
    points = alt.Chart(transform=only).mark_point(filled=True, size=110, color=COLORS[0]).encode(x, y, tooltip=told)
    names = alt.Chart(transform=only).mark_text(align="left", dx=9, dy=-9, color=NEUTRAL, fontSize=12).encode(
        x, y, text="name:N")
    return alt.layer(dots, up, across, points, names, data=data, height=300, config=CONFIG)
