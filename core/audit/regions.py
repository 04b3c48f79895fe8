"""Regions of the feature space: cells of one or two columns, and the leaves of a shallow tree that seeks gaps.

N rows, R regions, A groups, M columns of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.audit.itemsets import Column, column_of
from core.audit.strata import MISSING, Outcome
from core.audit.words import is_numeric
from core.types import BadInput, Predictions

MOST_GROUPS = 8  # groups whose gaps the tree seeks


@dataclass(frozen=True)
class Regions:
    """by: how they were made, in words; code (N,) in 0..R-1; R labels."""

    by: str
    code: np.ndarray
    labels: tuple[str, ...]


@dataclass(frozen=True)
class _Table:
    """What the tree sees: values (N, M), and for every column its name, its condition when it is a yes or no ("" for
    numbers), the largest value, and whether missing values lie above it; dates are shown as dates."""

    values: np.ndarray
    names: tuple[str, ...]
    yes: tuple[str, ...]
    top: tuple[float, ...]
    missing: tuple[bool, ...]
    dates: tuple[bool, ...]


def cells_of(rows: Predictions, features: Sequence[str], parts: int = 4) -> Regions:
    """Every part of one feature, or every crossing of the parts of two. Raises BadInput for other features."""
    known = [str(c) for c in rows.features.columns]
    names = list(dict.fromkeys(features))
    if len(names) not in (1, 2) or not set(names) <= set(known):
        raise BadInput("Features", ", ".join(map(str, features)) or "none", "one or two of " + ", ".join(known[:12]),
                       "choose again")
    if not 2 <= parts <= 50:
        raise BadInput("Parts", f"{parts}", "2 to 50", "use 4")
    columns = [column_of(name, rows.features[name], parts) for name in names]
    code, labels = columns[0].code, [c.words for c in columns[0].conditions]
    for other in columns[1:]:
        code = code * len(other.conditions) + other.code
        labels = [f"{a} and {c.words}" for a in labels for c in other.conditions]
    return Regions("cells of " + " and ".join(names), code, tuple(labels))


def leaves_of(rows: Predictions, outcome: Outcome, grow: np.ndarray, leaves: int, least: int) -> Regions:
    """Leaves of a regression tree grown on the rows `grow` (N,); code is that of all rows.

    Its targets, one a group g, are (1[group = g] / share of g - 1) (outcome - mean): their mean in a region is how far
    the group's rate lies from the region's where groups lie alike over the regions. They guide the search alone.

    Raises BadInput without a usable feature, or with fewer than two leaves' rows.
    """
    from sklearn.tree import DecisionTreeRegressor

    table = _table(rows)
    here = grow & outcome.here
    size = np.bincount(rows.groups.code[here], minlength=rows.n_attrs)
    groups = np.argsort(-size, kind="stable")[:MOST_GROUPS]
    groups = groups[size[groups] >= max(rows.spec.min_n, 1)]
    if not table.names or here.sum() < 2 * least or len(groups) < 2:
        found = "no usable feature" if not table.names else f"{int(here.sum()):,} rows, {len(groups)} groups"
        raise BadInput("Regions", found, f"features, {2 * least} rows and two groups to grow a tree on",
                       "choose features, or a lower limit of rows")
    w = np.ones(int(here.sum())) if rows.w is None else rows.w[here]
    x, code = outcome.value[here], rows.groups.code[here]
    among = code[:, None] == groups
    share = (w[:, None] * among).sum(0) / w.sum()
    target = (among / share - 1) * (x - np.average(x, weights=w))[:, None]
    tree = DecisionTreeRegressor(max_leaf_nodes=leaves, min_samples_leaf=least, random_state=0)
    tree.fit(table.values[here], target, sample_weight=w)
    leaf = tree.apply(table.values)
    at = np.flatnonzero(tree.tree_.children_left < 0)
    return Regions("leaves of a tree that seeks gaps", np.searchsorted(at, leaf), _paths(tree.tree_, table, at))


def _table(rows: Predictions) -> _Table:
    """Numbers and dates as they are, missing ones above the largest; words as one yes or no a value."""
    values: list[np.ndarray] = []
    told: list[tuple[str, str, float, bool, bool]] = []
    for name in rows.features.columns:
        column = rows.features[name]
        try:
            by = column_of(str(name), column)
        except BadInput:
            continue
        dates = pd.api.types.is_datetime64_any_dtype(column)
        if is_numeric(column) or dates:
            number = _numbers(column, dates)
            top = float(number[np.isfinite(number)].max())
            gone = ~np.isfinite(number)
            values.append(np.where(gone, top + max(abs(top), 1.0), number))
            told.append((str(name), "", top, bool(gone.any()), bool(dates)))
        else:
            for k, condition in _several(by):
                values.append((by.code == k).astype(np.float64))
                told.append((str(name), condition, 1.0, False, False))
    names, yes, top_of, missing, shown = zip(*told, strict=True) if told else ((),) * 5
    stacked = np.stack(values, axis=1) if values else np.zeros((rows.n, 0))
    return _Table(stacked, tuple(names), tuple(yes), tuple(top_of), tuple(missing), tuple(shown))


def _several(by: Column) -> list[tuple[int, str]]:
    """The parts of a column of words that need a yes or no: one is enough for two."""
    parts = [(k, c.value if c.value.strip() != MISSING else MISSING) for k, c in enumerate(by.conditions)]
    return parts[:1] if len(parts) == 2 else parts


def _numbers(column: pd.Series, dates: bool) -> np.ndarray:
    if not dates:
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    raw = column.astype("datetime64[ns]" if column.dt.tz is None else column.dtype).astype("int64")
    return np.where(column.isna(), np.nan, raw.to_numpy(np.float64) / 86_400e9)  # days


def _paths(tree: object, table: _Table, at: np.ndarray) -> tuple[str, ...]:
    """The conditions that lead to every leaf, in words."""
    left, right = tree.children_left, tree.children_right  # type: ignore[attr-defined]
    feature, cut = tree.feature, tree.threshold  # type: ignore[attr-defined]
    bounds: dict[int, dict[int, tuple[float, float]]] = {0: {}}
    for node in range(len(left)):  # parents come before their children
        if left[node] < 0:
            continue
        m = int(feature[node])
        low, high = bounds[node].get(m, (-np.inf, np.inf))
        bounds[int(left[node])] = bounds[node] | {m: (low, float(cut[node]))}
        bounds[int(right[node])] = bounds[node] | {m: (float(cut[node]), high)}
    return tuple(" and ".join(_between(table, m, *ends) for m, ends in bounds[int(leaf)].items()) or "everyone"
                 for leaf in at)


def _between(table: _Table, m: int, low: float, high: float) -> str:
    name, word, top = table.names[m], table.yes[m], table.top[m]
    if word:
        yes = low > 0
        if word == MISSING:
            return f"{name} missing" if yes else f"{name} known"
        return f"{name} = {word}" if yes else f"{name} not {word}"
    if low >= top:
        return f"{name} missing"
    known = high >= top  # also where a cut parts the missing from the known
    or_missing = " or missing" if table.missing[m] and high == np.inf else ""
    a, b = (_shown(v, table.dates[m]) for v in (low, high))
    if np.isfinite(low) and not known:
        return f"{name} above {a}, at most {b}"
    if np.isfinite(low):
        return f"{name} above {a}{or_missing}"
    return f"{name} known" if known else f"{name} at most {b}"


def _shown(value: float, date: bool) -> str:
    if not np.isfinite(value):
        return ""
    return str(pd.Timestamp(int(value * 86_400e9)).date()) if date else f"{value:.6g}"
