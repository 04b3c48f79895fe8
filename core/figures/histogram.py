"""How a model's scores are spread in every group, positives and negatives apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures.theme import NEUTRAL, empty_figure, new_figure, signs


def histogram_table(
    score: np.ndarray,
    y: np.ndarray,
    attr: np.ndarray,
    *,
    attr_labels: Sequence[str],
    classes: Sequence[str],
    bins: int = 40,
    weight: np.ndarray | None = None,
) -> pd.DataFrame:
    """Counts of scores in equal bins from 0 to 1 (or over the scores' range where they leave it).

    Returns:
        group, class (words), left, right (edges; the last bin holds its right edge), n (rows), share (weight in the bin
        / weight of the group), for every group and class, empty bins included.
    """
    score = np.asarray(score, dtype=np.float64)
    known = score[np.isfinite(score)]
    low, high = (min(0.0, known.min()), max(1.0, known.max())) if len(known) else (0.0, 1.0)
    edges = np.linspace(low, high, bins + 1)
    usable = np.isfinite(score)
    place = np.clip(((np.where(usable, score, low) - low) / (high - low) * bins).astype(int), 0, bins - 1)
    cell = ((attr * len(classes) + y) * bins + place)[usable]
    w = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    size = len(attr_labels) * len(classes) * bins
    n = np.bincount(cell, minlength=size)
    mass = np.bincount(cell, weights=w[usable], minlength=size).reshape(len(attr_labels), -1)
    total = mass.sum(1, keepdims=True)
    share = np.divide(mass, total, out=np.full(mass.shape, np.nan), where=total > 0)
    return pd.DataFrame({
        "group": np.repeat(np.array(attr_labels, dtype=object), len(classes) * bins),
        "class": np.tile(np.repeat(np.array(classes, dtype=object), bins), len(attr_labels)),
        "left": np.tile(edges[:-1], len(attr_labels) * len(classes)),
        "right": np.tile(edges[1:], len(attr_labels) * len(classes)),
        "n": n, "share": share.ravel(),
    })


def plot_histogram(
    table: pd.DataFrame,
    *,
    thresholds: Mapping[str, float] | None = None,
    group_order: Sequence[str] = (),
    row_height: int = 110,
) -> go.Figure:
    """One row per group: the last class filled in the group's colour, the others as outlines; thresholds as lines."""
    shown = table[table["share"].notna()]
    groups = [str(g) for g in shown["group"].unique()]
    if not groups:
        return empty_figure("No scores", "Score", "Share of the group")
    kept = signs([*group_order, *(g for g in groups if g not in group_order)])
    classes = list(dict.fromkeys(table["class"]))
    figure = make_subplots(rows=len(groups), cols=1, shared_xaxes=True, shared_yaxes=True,
                           vertical_spacing=min(0.03, 0.5 / len(groups)),
                           figure=new_figure("", "", height=90 + row_height * len(groups)))
    for row, group in enumerate(groups, 1):
        for number, name in enumerate(classes):
            part = shown[(shown["group"] == group) & (shown["class"] == name)]
            filled = number == len(classes) - 1
            color = kept[group].color if filled else NEUTRAL
            figure.add_scatter(
                row=row, col=1, name=f"truly {name}", legendgroup=str(name), showlegend=row == 1,
                x=[*part["left"], part["right"].iloc[-1]], y=[*part["share"], part["share"].iloc[-1]],
                customdata=[*part["n"], part["n"].iloc[-1]], mode="lines", fill="tozeroy" if filled else None,
                line={"shape": "hv", "color": color, "width": 1.5, "dash": "solid" if filled else "dot"},
                hovertemplate=f"{group}, truly {name}<br>score from %{{x:.3f}}<br>"
                              "%{customdata} rows, %{y:.1%} of the group<extra></extra>")
        chosen = (thresholds or {}).get(group)
        if chosen is not None and np.isfinite(chosen):
            figure.add_vline(x=chosen, row=row, col=1, line={"color": kept[group].color, "width": 2, "dash": "dash"})
        figure.add_annotation(text=group, showarrow=False, x=0.5, y=1, xanchor="center", yanchor="top", row=row, col=1,
                              xref="x domain", yref="y domain", font={"size": 13, "color": kept[group].color})
        figure.update_yaxes(tickformat=".0%", nticks=3, row=row, col=1, gridcolor="rgba(128,128,128,0.25)",
                            zeroline=False)
    figure.update_xaxes(gridcolor="rgba(128,128,128,0.25)", zeroline=False)
    figure.update_xaxes(title={"text": "Score (share of each group, by true class)"}, row=len(groups), col=1)
    return figure
