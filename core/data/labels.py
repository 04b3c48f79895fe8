"""The label in words: its values as the file shows them, with their counts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.data.groups import is_numeric
from core.types import BadInput

MANY_VALUES = 20


def need_column(frame: pd.DataFrame, column: str, field: str) -> None:
    """BadInput that lists the table's columns where it has no such column."""
    if column not in frame.columns:
        known = ", ".join(map(str, frame.columns[:12])) + (" and more" if frame.shape[1] > 12 else "")
        found = f"the column {column!r}, which the table does not have"
        raise BadInput(field, found, f"one of {known}", "choose again")


def word_of(value: object) -> str:
    """A cell as people read it: 1.0 is "1", True is "True"."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def in_words(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    """(N,) int64 codes and the words they stand for; a missing value is -1. Equal words share a code."""
    codes, values = pd.factorize(column)
    words = [word_of(v) for v in values]
    unique = list(dict.fromkeys(words))
    index = {w: k for k, w in enumerate(unique)}
    of_value = np.array([*(index[w] for w in words), -1], dtype=np.int64)
    return of_value[codes], unique


def numeric_label(frame: pd.DataFrame, label: str) -> bool:
    """True where the label is a number with more values than classes usually have."""
    return is_numeric(frame[label]) and frame[label].nunique() > MANY_VALUES


def label_values(frame: pd.DataFrame, label: str) -> list[tuple[str, int]]:
    """The label's words with their counts, commonest first; missing ones left out."""
    need_column(frame, label, "Label")
    codes, words = in_words(frame[label])
    count = np.bincount(codes[codes >= 0], minlength=len(words))
    return [(words[k], int(count[k])) for k in np.argsort(-count, kind="stable")]


def is_number(word: str) -> bool:
    """True for a word that is a finite number."""
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False


def sorted_words(words: list[str]) -> tuple[str, ...]:
    """Numbers by size, then other words by letter."""
    return tuple(sorted(words, key=lambda w: (not is_number(w), float(w) if is_number(w) else 0.0, w)))
