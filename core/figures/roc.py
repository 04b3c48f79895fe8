"""ROC and precision-recall curves of every group, with their areas and DeLong intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.counts import count_thresholds, partition
from core.figures.theme import EVERYONE, NEUTRAL, empty_figure, new_figure, signs
from core.inference import auc_interval
from core.metrics.measure import parse

DRAWN = 500
WORDS = {"fpr": "False positive rate (← better)", "tpr": "True positive rate (better ↑)",
         "recall": "True positive rate, recall (better →)", "precision": "Precision (better ↑)"}


def roc_table(
    score: np.ndarray,
    y: np.ndarray,
    attr: np.ndarray,
    *,
    attr_labels: Sequence[str],
    weight: np.ndarray | None = None,
) -> pd.DataFrame:
    """Both curves of every group and of everyone, exact at every distinct score of the group.

    Returns:
        group, threshold (descending from `inf`), fpr, tpr, precision. Undefined is NaN: precision where nobody is
        selected, tpr without positives, fpr without negatives.
    """
    thresholds, counts = count_thresholds(score, y, attr, len(attr_labels), weight)
    groups = np.concatenate([counts, partition(counts, "all")], axis=1)[::-1]
    rates = {name: parse(key).parts[0].of(groups) for name, key in
             (("fpr", "fpr"), ("tpr", "tpr"), ("precision", "ppv"))}
    parts = []
    for g, label in enumerate([*attr_labels, EVERYONE]):
        selected = groups[:, g, :, 1]
        kept = np.append(True, (selected[1:] != selected[:-1]).any(-1))
        parts.append(pd.DataFrame({"group": label, "threshold": thresholds[::-1][kept],
                                   **{name: values[kept, g] for name, values in rates.items()}}))
    return pd.concat(parts, ignore_index=True)


def area_table(
    score: np.ndarray,
    y: np.ndarray,
    attr: np.ndarray,
    *,
    attr_labels: Sequence[str],
    weight: np.ndarray | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Areas of every group and of everyone.

    Returns:
        group, positives, negatives (rows), auc, auc_low, auc_high (DeLong), average_precision, and undefined
        ("0 positives", "0 negatives" or "").
    """
    score, y, attr = np.asarray(score), np.asarray(y), np.asarray(attr)
    rows = []
    for g, label in enumerate([*attr_labels, EVERYONE]):
        m = np.ones(len(y), dtype=bool) if label == EVERYONE and g == len(attr_labels) else attr == g
        w = None if weight is None else np.asarray(weight)[m]
        positives, negatives = int((y[m] == 1).sum()), int((y[m] == 0).sum())
        reason = "0 positives" if not positives else "0 negatives" if not negatives else ""
        auc, low, high = auc_interval(score[m], y[m], w, level)
        rows.append((label, positives, negatives, auc, low, high, _average_precision(score[m], y[m], w), reason))
    return pd.DataFrame(rows, columns=["group", "positives", "negatives", "auc", "auc_low", "auc_high",
                                       "average_precision", "undefined"])


def plot_roc(table: pd.DataFrame, *, areas: pd.DataFrame | None = None, thresholds: Mapping[str, float] | None = None,
             group_order: Sequence[str] = ()) -> go.Figure:
    """True against false positive rate, one line per group; the chosen thresholds as marks."""
    figure = _plot(table, "fpr", "tpr", areas, "auc", "AUC", thresholds, group_order)
    if figure.data:
        figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", name="guessing", hoverinfo="skip",
                           line={"color": NEUTRAL, "width": 1, "dash": "dot"})
    return figure


def plot_pr(table: pd.DataFrame, *, areas: pd.DataFrame | None = None, thresholds: Mapping[str, float] | None = None,
            group_order: Sequence[str] = ()) -> go.Figure:
    """Precision against recall, one line per group; the chosen thresholds as marks."""
    renamed = table.rename(columns={"tpr": "recall"})
    return _plot(renamed, "recall", "precision", areas, "average_precision", "average precision", thresholds,
                 group_order)


def _plot(table: pd.DataFrame, x: str, y: str, areas: pd.DataFrame | None, area: str, area_word: str,
          thresholds: Mapping[str, float] | None, group_order: Sequence[str]) -> go.Figure:
    shown = table[table[x].notna() & table[y].notna()]
    if shown.empty:
        return empty_figure("Undefined: a curve needs positive and negative rows", WORDS[x], WORDS[y])
    names = [str(g) for g in table["group"].unique()]
    marks = signs([*group_order, *(n for n in names if n not in group_order)])
    known = {} if areas is None else dict(zip(areas["group"], areas[area], strict=True))
    figure = new_figure(WORDS[x], WORDS[y])
    for label, part in shown.groupby("group", sort=False):
        sign, name = marks[str(label)], str(label)
        thin = part.iloc[np.unique(np.linspace(0, len(part) - 1, min(len(part), DRAWN)).round().astype(int))]
        value = known.get(label, np.nan)
        figure.add_scatter(
            x=thin[x], y=thin[y], customdata=thin["threshold"], mode="lines", legendgroup=name,
            name=f"{name} ({area_word} {value:.3f})" if np.isfinite(value) else name,
            line={"color": sign.color, "dash": sign.plotly_dash, "width": 3 if name == EVERYONE else 2},
            hovertemplate=f"{name}<br>{x} %{{x:.3f}}, {y} %{{y:.3f}}<br>threshold %{{customdata:.3f}}<extra></extra>")
        chosen = (thresholds or {}).get(name)
        if chosen is None:
            continue
        at = part[part["threshold"] >= chosen].iloc[-1:]
        figure.add_scatter(x=at[x], y=at[y], mode="markers", showlegend=False, legendgroup=name,
                           marker={"color": sign.color, "symbol": sign.shape, "size": 11},
                           hovertemplate=f"{name}: threshold {chosen:.3f}<extra></extra>")
    figure.update_xaxes(range=[-0.02, 1.02])
    figure.update_yaxes(range=[-0.02, 1.02])
    return figure


def _average_precision(score: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
    """Sum over distinct scores of the rise in recall times the precision there; NaN without positives."""
    if not (y == 1).any():
        return float("nan")
    _, counts = count_thresholds(score, y, np.zeros(len(y), dtype=np.int64), 1, w)
    tp, fp = counts[::-1, 0, 1, 1], counts[::-1, 0, 0, 1]
    rise = np.diff(tp) / tp[-1]
    with np.errstate(invalid="ignore"):
        precision = tp[1:] / (tp[1:] + fp[1:])
    return float((rise * np.nan_to_num(precision)).sum())
