"""Columns that give the label away: each is asked alone, on one half of a sample, and judged on the other."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from core.types import BadInput

SAMPLE = 4000
NEAR_PERFECT = 0.97
MAX_LABEL_VALUES = 20


def find_leaks(frame: pd.DataFrame, label: str) -> dict[str, str]:
    """column -> reason, for columns whose values alone predict the label almost without error.

    Measured as balanced accuracy of a depth-5 tree on held-out rows, so that a rare class counts as much as a common
    one; at least 0.97 is a leak. Labels with more than 20 values are not judged.
    """
    if label not in frame.columns:
        raise BadInput("Label", f"the column {label!r}", "a column of the table", "choose again")
    kept = frame.loc[frame[label].notna()]
    if len(kept) > SAMPLE:
        kept = kept.sample(SAMPLE, random_state=0)
    y, words = pd.factorize(kept[label])
    if not 2 <= len(words) <= MAX_LABEL_VALUES or len(kept) < 20:
        return {}
    half = np.random.default_rng(0).random(len(kept)) < 0.5
    leaks = {}
    for column in frame.columns:
        if column == label:
            continue
        score = _held_out(kept[column], y, half)
        if score >= NEAR_PERFECT:
            leaks[column] = f"alone it predicts the label almost perfectly (balanced accuracy {score:.3f})"
    return leaks


def _held_out(column: pd.Series, y: np.ndarray, half: np.ndarray) -> float:
    """Balanced accuracy on the other half of what this half says about one column."""
    if pd.api.types.is_datetime64_any_dtype(column):
        column = column.astype("datetime64[s]").astype("int64").where(column.notna())
    numeric = pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)
    distinct = column.nunique(dropna=False)
    if distinct < 2 or (not numeric and distinct > 0.5 * len(column)) or len(np.unique(y[half])) < 2:
        return 0.0
    guess = _by_tree(column, y, half) if numeric else _by_word(column, y, half)
    truth = y[~half]
    shares = [float((guess[truth == c] == c).mean()) for c in np.unique(truth)]
    return float(np.mean(shares)) if len(shares) > 1 else 0.0


def _by_tree(column: pd.Series, y: np.ndarray, half: np.ndarray) -> np.ndarray:
    x = column.astype(float).replace([np.inf, -np.inf], np.nan).fillna(-1e12).to_numpy(float)[:, None]
    x = np.clip(x, -1e30, 1e30)  # trees compute in float32
    tree = DecisionTreeClassifier(max_depth=5, class_weight="balanced", random_state=0).fit(x[half], y[half])
    return tree.predict(x[~half])


def _by_word(column: pd.Series, y: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Each word (or its absence) says the class that it favours most against the class's share."""
    codes, words = pd.factorize(column, use_na_sentinel=False)
    count = np.zeros((len(words), int(y.max()) + 1))
    np.add.at(count, (codes[half], y[half]), 1)
    return (count / np.maximum(count.sum(0), 1)).argmax(1)[codes[~half]]
