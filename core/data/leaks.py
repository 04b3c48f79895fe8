"""Columns that give the label away: each is asked alone, on one half of a sample, and judged on the other."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from core.types import BadInput

SAMPLE = 4000
NEAR_PERFECT = 0.97
MAX_LABEL_VALUES = 20
CUTS = 64
PROMISING = 0.75  # what a coarse cut into bins must reach before a tree, which cuts finer, is asked


def find_leaks(frame: pd.DataFrame, label: str) -> dict[str, str]:
    """column -> reason, for columns whose values alone predict the label almost without error.

    Measured as balanced accuracy of a depth-5 tree on held-out rows, so that a rare class counts as much as a common
    one; at least 0.97 is a leak. Labels with more than 20 values are not judged. A tree is only grown on columns of
    numbers that a cut into about 128 bins finds promising: it has 31 cuts at most, so few of those bins hide one.
    """
    if label not in frame.columns:
        raise BadInput("Label", f"the column {label!r}", "a column of the table", "choose again")
    rows = np.flatnonzero(frame[label].notna())
    if len(rows) > SAMPLE:
        rows = pd.Series(rows).sample(SAMPLE, random_state=0).to_numpy()
    y, words = pd.factorize(frame[label].iloc[rows])
    if not 2 <= len(words) <= MAX_LABEL_VALUES or len(rows) < 20:
        return {}
    half = np.random.default_rng(0).random(len(rows)) < 0.5
    if len(np.unique(y[half])) < 2 or len(np.unique(y[~half])) < 2:
        return {}
    leaks = {}
    for column in frame.columns:
        if column == label:
            continue
        score = _held_out(frame[column], rows, y, half)
        if score >= NEAR_PERFECT:
            leaks[column] = f"alone it predicts the label almost perfectly (balanced accuracy {score:.3f})"
    return leaks


def _held_out(column: pd.Series, rows: np.ndarray, y: np.ndarray, half: np.ndarray) -> float:
    """Balanced accuracy on the other half of what this half says about one column; 0 where it cannot say much."""
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        x = _numbers(column, rows)
        codes = _bins(x, half)
        if codes is None or _balanced(_by_code(codes, y, half), y[~half]) < PROMISING:
            return 0.0
        return _balanced(_by_tree(x, y, half), y[~half])
    codes, words = pd.factorize(column.iloc[rows], use_na_sentinel=False)
    if not 2 <= len(words) <= 0.5 * len(rows):
        return 0.0
    return _balanced(_by_code(codes, y, half), y[~half])


def _balanced(guess: np.ndarray, truth: np.ndarray) -> float:
    """The mean over classes of the share of their rows that were guessed."""
    n, right = np.bincount(truth), np.bincount(truth[guess == truth], minlength=int(truth.max()) + 1)
    return float((right[n > 0] / n[n > 0]).mean())


def _numbers(column: pd.Series, rows: np.ndarray) -> np.ndarray:
    """(len(rows),) finite floats; a missing value is far below all others."""
    taken = column.iloc[rows]
    if pd.api.types.is_datetime64_any_dtype(taken):
        taken = taken.astype("datetime64[s]").astype("int64").where(taken.notna())
    x = taken.to_numpy(float, na_value=np.nan)
    x = np.where(np.isfinite(x), x, -1e12)
    return np.clip(x, -1e30, 1e30)  # trees compute in float32


def _bins(x: np.ndarray, half: np.ndarray) -> np.ndarray | None:
    """(N,) codes of at most 2 x CUTS bins, cut so that rows, and values, are evenly spread; None for one value.

    Every bin holds a value of this half of the rows; equal values share a bin.
    """
    values = np.sort(x[half])
    distinct = values[np.append(True, values[1:] != values[:-1])]
    if len(distinct) < 2 and x.min() == x.max():
        return None
    at = np.linspace(0, 1, CUTS)
    cuts = [part[np.round(at * (len(part) - 1)).astype(np.int64)] for part in (values, distinct)]
    edges = np.unique(np.concatenate(cuts))
    return np.minimum(np.searchsorted(edges, x), len(edges) - 1)


def _by_code(codes: np.ndarray, y: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Each bin or word (or its absence) says the class that it favours most against the class's share."""
    width = int(y.max()) + 1
    count = np.bincount(codes[half] * width + y[half], minlength=(int(codes.max()) + 1) * width).reshape(-1, width)
    return (count / np.maximum(count.sum(0), 1)).argmax(1)[codes[~half]]


def _by_tree(x: np.ndarray, y: np.ndarray, half: np.ndarray) -> np.ndarray:
    tree = DecisionTreeClassifier(max_depth=5, class_weight="balanced", random_state=0).fit(x[half, None], y[half])
    return tree.predict(x[~half, None])
