"""Figure of matched pairs: how far apart two groups are in every feature, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import numpy as np
import pandas as pd

from core.figures.theme import COLORS, CONFIG, NEUTRAL, empty_chart

if TYPE_CHECKING:
    from core.audit.matching import Matching

AnyChart = alt.LayerChart | alt.FacetChart | alt.Chart
ROW, MOST, BOUND = 24, 25, 0.1
BEFORE, AFTER = "before", "in pairs"
COLUMNS = ["label", "when", "value", "text"]


def balance_table(found: Matching, most: int = MOST) -> pd.DataFrame:
    """Standardised mean differences of the `most` columns furthest apart before matching, those first.

    Returns:
        label ("job: clerk"), when ("before" or "in pairs"), value (standard deviations, NaN where nobody was paired),
        text for the tooltip.
    """
    table = found.balance.dropna(subset=["before"])
    table = table.iloc[np.argsort(-table["before"].abs().to_numpy(), kind="stable")[:most]]
    labels = [f"{f}: {v}" if v else str(f) for f, v in zip(table["feature"], table["value"], strict=True)]
    if not labels:
        return pd.DataFrame({name: [] for name in COLUMNS})
    value = table[["before", "after"]].to_numpy(float).ravel()
    when = np.tile([BEFORE, AFTER], len(labels))
    text = [f"{w}: {v:+.2f} standard deviations" if np.isfinite(v) else f"{w}: undefined, no pairs"
            for w, v in zip(when, value, strict=True)]
    return pd.DataFrame({"label": np.repeat(labels, 2), "when": when, "value": value, "text": text})


def plot_balance(table: pd.DataFrame) -> AnyChart:
    """One row a column: a hollow circle before matching, a filled square in pairs; dashed lines at a tenth.

    Args:
        table: of `balance_table`.
    """
    known = table[np.isfinite(table["value"].astype(float))] if len(table) else table
    if known.empty:
        return empty_chart("No feature to compare")
    data = known[COLUMNS].assign(kind="point")
    bounds = pd.DataFrame({"kind": "bound", "value": [-BOUND, BOUND]})
    data = pd.concat([data, bounds], ignore_index=True)
    reach = max(float(np.abs(data["value"]).max()) * 1.1, 2 * BOUND)
    x = alt.X("value:Q", title="First group − second group, standard deviations",
              axis=alt.Axis(format="+.2~f", tickCount=8), scale=alt.Scale(domain=[-reach, reach], nice=False))
    y = alt.Y("label:N", sort=list(dict.fromkeys(known["label"])), title=None,
              axis=alt.Axis(labelLimit=300, ticks=False))
    lines = alt.Chart(transform=[{"filter": "datum.kind == 'bound'"}]).mark_rule(
        color=NEUTRAL, strokeDash=[4, 3]).encode(x)
    color = alt.Color("when:N", title=None, scale=alt.Scale(domain=[BEFORE, AFTER], range=[COLORS[1], COLORS[0]]))
    shape = alt.Shape("when:N", title=None, scale=alt.Scale(domain=[BEFORE, AFTER], range=["circle", "square"]))
    told = [alt.Tooltip("label:N", title="Feature"), alt.Tooltip("text:N", title="Apart")]
    points = alt.Chart(transform=[{"filter": "datum.kind == 'point'"}]).mark_point(size=80, strokeWidth=2).encode(
        x, y, color, shape, tooltip=told)
    return alt.layer(lines, points, data=data, height={"step": ROW}, config=CONFIG)
