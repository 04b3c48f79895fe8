"""Colours, marks and dashes of every chart, and the settings that Altair and Plotly share.

The eight colours keep a contrast of at least 3:1 on white and on near-black, and stay apart for the common kinds of
colour blindness (smallest CIELAB distance 17); hues follow Okabe & Ito. Marks and dashes are second signs, so colour
is never the only one. Texts and axes take the page's own colours: backgrounds are transparent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import altair as alt
import pandas as pd
import plotly.graph_objects as go

COLORS = ("#1e6597", "#c98000", "#0bab54", "#b882bc", "#b94200", "#5d8cf6", "#8d5448", "#798f7c")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (12, 3), (4, 2, 1, 2), (1, 3), (10, 2, 2, 2, 2, 2))
PLOTLY_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "6px,3px,1px,3px", "1px,4px", "longdashdot")
NEUTRAL = "#7a7a7a"  # 4.3:1 on white and on near-black
EVERYONE = "everyone"


class Sign(NamedTuple):
    """How one group or method looks everywhere: color, shape (Vega and Plotly share the names), dash (Vega) and
    plotly_dash."""

    color: str
    shape: str
    dash: tuple[int, ...]
    plotly_dash: str


def signs(labels: Iterable[str]) -> dict[str, Sign]:
    """A sign for every label by its place in `labels`; give all labels of the study, not those on the chart alone.

    The first eight differ in colour, shape and dash, 64 in at least one of colour and shape. "everyone" is grey.

    >>> signs(["women", "men"])["men"].color == COLORS[1]
    True
    """
    found: dict[str, Sign] = {}
    for label in labels:
        if label == EVERYONE:
            found[label] = Sign(NEUTRAL, "circle", DASHES[0], PLOTLY_DASHES[0])
        elif label not in found:
            place = len(found) - (EVERYONE in found)
            color, second = place % 8, (place + place // 8) % 8
            found[label] = Sign(COLORS[color], SHAPES[second], DASHES[second], PLOTLY_DASHES[second])
    return found


def color_scale(table: Mapping[str, Sign]) -> alt.Scale:
    """Altair colour scale that gives every label its own colour."""
    return alt.Scale(domain=list(table), range=[s.color for s in table.values()])


def shape_scale(table: Mapping[str, Sign]) -> alt.Scale:
    """Altair shape scale that gives every label its own mark."""
    return alt.Scale(domain=list(table), range=[s.shape for s in table.values()])


def dash_scale(table: Mapping[str, Sign]) -> alt.Scale:
    """Altair dash scale that gives every label its own dash."""
    return alt.Scale(domain=list(table), range=[list(s.dash) for s in table.values()])


def directed(title: str, higher_is_better: bool | None, vertical: bool = False) -> str:
    """An axis title that says where better is.

    >>> directed("Accuracy", True), directed("Gap", False, vertical=True)
    ('Accuracy (better →)', 'Gap (better ↓)')
    """
    if higher_is_better is None:
        return title
    arrow = ("↑" if vertical else "→") if higher_is_better else ("↓" if vertical else "←")
    return f"{title} (better {arrow})" if arrow != "←" else f"{title} (← better)"


# Every Altair chart is made with `config=CONFIG`: `.configure_*` would copy the whole chart each time.
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {"grid": True, "gridOpacity": 0.35, "domain": False, "tickSize": 4, "labelFontSize": 12,
             "titleFontSize": 13, "titleFontWeight": "normal", "labelFlush": False},
    "legend": {"orient": "bottom", "titleFontWeight": "normal", "labelLimit": 260, "symbolSize": 90,
               "symbolOpacity": 1, "columns": {"expr": "width < 320 ? 1 : width < 640 ? 2 : 4"}},
    "header": {"labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": "normal"},
}


def empty_chart(message: str) -> alt.Chart:
    """An Altair chart that says why there is nothing to draw."""
    data = pd.DataFrame({"message": [message]})
    return alt.Chart(data, height=220, config=CONFIG).mark_text(size=14, color=NEUTRAL).encode(text="message:N")


def new_figure(x_title: str, y_title: str, height: int = 420) -> go.Figure:
    """An empty Plotly figure with the house's layout: transparent, unified hover, legend below."""
    figure = go.Figure()
    figure.update_layout(
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", height=height,
        margin={"l": 60, "r": 20, "t": 30, "b": 50}, hovermode="closest",
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0}, colorway=list(COLORS),
        xaxis={"title": {"text": x_title}, "gridcolor": "rgba(128,128,128,0.25)", "zeroline": False},
        yaxis={"title": {"text": y_title}, "gridcolor": "rgba(128,128,128,0.25)", "zeroline": False},
    )
    return figure


def empty_figure(message: str, x_title: str = "", y_title: str = "") -> go.Figure:
    """A Plotly figure that says why there is nothing to draw."""
    figure = new_figure(x_title, y_title, height=220)
    figure.update_xaxes(showticklabels=False, showgrid=False)
    figure.update_yaxes(showticklabels=False, showgrid=False)
    figure.add_annotation(text=message, showarrow=False, font={"size": 14, "color": NEUTRAL})
    return figure
