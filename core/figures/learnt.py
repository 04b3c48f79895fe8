"""Who learns when: for every group the iteration by which most of what it ever gains was gained, and that in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.counts import n_of, partition_labels
from core.figures.curves import LOSS
from core.figures.gather import split_index
from core.figures.theme import EVERYONE
from core.metrics.measure import parse
from core.metrics.words import inside
from core.types import History

MOST = 0.9


def learnt_table(table: pd.DataFrame, *, metric: str, share: float = MOST) -> pd.DataFrame:
    """When each line of one setting and split has made `share` of its way.

    Args:
        table: rows of `curves_table` with one id and one split. metric: the key it was made with.

    Returns:
        group, iteration (the first evaluation at which the mean over seeds has made `share` of the way from the first
        evaluation to its best; NaN where undefined), first, best, last (values). In the order of the table.
    """
    sign = 1.0 if metric != LOSS and parse(metric).higher_is_better is not False else -1.0
    rows = []
    for group, part in table.groupby("group", sort=False):
        known = part[np.isfinite(part["mean"].astype(float))].sort_values("iteration")
        if known.empty:
            rows.append((group, np.nan, np.nan, np.nan, np.nan))
            continue
        value = known["mean"].to_numpy(float)
        best = value[(sign * value).argmax()]
        there = sign * (value - value[0]) >= share * sign * (best - value[0]) - 1e-12
        rows.append((group, float(known["iteration"].to_numpy()[there.argmax()]), value[0], best, value[-1]))
    return pd.DataFrame(rows, columns=["group", "iteration", "first", "best", "last"])


def large_groups(history: History, *, by: str, split: str, min_n: int, classes: Sequence[str],
                 attr_labels: Sequence[str]) -> list[str]:
    """Labels of the groups with at least `min_n` rows on a split: what smaller ones do there is mostly chance."""
    rows = n_of(history.n[split_index(split)], by)
    return [g for g, n in zip(partition_labels(by, classes, attr_labels), rows, strict=True) if n >= min_n]


def learnt_answer(found: pd.DataFrame, *, metric: str, name: str, marks: pd.DataFrame | None = None) -> str:
    """One to three plain sentences about one setting.

    Args:
        found: of `learnt_table`. name: the setting in words.
        marks: rows of `selection_marks` of the setting: where each selection rule would have stopped.
    """
    known = found[np.isfinite(found["iteration"].astype(float))]
    if known.empty:
        return "Nothing has been measured yet."
    parts = [_order(known, metric, name), _end(known, metric)]
    if marks is not None and len(marks):
        told = ", ".join(f"{rule} at {at:,}" for rule, at in zip(marks["rule"], marks["iteration"], strict=True))
        parts.append(f"Stopping by the best validation value would pick: {told}.")
    return " ".join(part for part in parts if part)


def _order(known: pd.DataFrame, metric: str, name: str) -> str:
    ordered = known.sort_values("iteration", kind="stable")
    first, last = ordered.iloc[0], ordered.iloc[-1]
    words = "loss" if metric == LOSS else inside(parse(metric).title)
    if len(ordered) == 1:
        one = metric == LOSS or not parse(metric).how
        whose = f" of {first['group']}" if one and first["group"] != EVERYONE else ""
        return f"In {name}, {words}{whose} has made nine tenths of its way by iteration {first['iteration']:,.0f}."
    if first["iteration"] == last["iteration"]:
        return f"{name} learns all alike ({words}: nine tenths of the way by iteration {last['iteration']:,.0f})."
    return (f"{name} learns {first['group']} first ({words}: nine tenths of the way by iteration "
            f"{first['iteration']:,.0f}) and {last['group']} last (by {last['iteration']:,.0f}).")


def _end(known: pd.DataFrame, metric: str) -> str:
    if len(known) < 2:
        return ""
    ordered = known.sort_values("last", kind="stable")
    share = metric != LOSS and parse(metric).bounds == (0.0, 1.0)
    ends = [f"{100 * v:.1f} %" if share else f"{v:.3f}" for v in ordered["last"].iloc[[0, -1]]]
    return f"Now it runs from {ends[0]} ({ordered['group'].iloc[0]}) to {ends[1]} ({ordered['group'].iloc[-1]})."
