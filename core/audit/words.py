"""Cells as people read them, and groups made of them: what preparing an audit needs about one column."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.types import BadInput, Groups

MISSING = "missing"
MAX_GROUPS = 500
MANY_NUMBERS = 20  # numbers and dates with more values than this are cut into quarters
YES, NO = ("true", "1"), ("false", "0")


def word_of(value: object) -> str:
    """A cell as people read it: 1.0 is "1", True is "True", a date has no empty time of day."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    return str(value).strip()


def in_words(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    """(N,) int64 codes and the words they stand for; missing and blank cells are -1. Equal words share a code."""
    try:
        codes, values = pd.factorize(column)
    except (TypeError, ValueError):  # cells such as lists
        codes, values = pd.factorize(column.map(lambda v: v if v is None else str(v)))
    words = [word_of(v) for v in values]
    unique = [w for w in dict.fromkeys(words) if w]
    place = {w: k for k, w in enumerate(unique)} | {"": -1}
    return np.array([*(place[w] for w in words), -1], dtype=np.int64)[codes], unique


def is_numeric(column: pd.Series) -> bool:
    """True for a column of numbers (booleans are words)."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def find_word(word: str, words: list[str]) -> str | None:
    """The word of a column that is meant: the same, the same number, the same but for case, or yes/no as 1/0 and
    True/False; None where there is none or more than one."""
    wanted = word_of(word)
    if wanted in words:
        return wanted
    same = [w for w in words if _number(w) is not None and _number(w) == _number(wanted)]
    same = same or [w for w in words if w.casefold() == wanted.casefold()]
    for alike in (YES, NO):
        if not same and (wanted.casefold() in alike or _number(wanted) in (1, 0) and str(int(_number(wanted) or 0))
                         in alike):
            same = [w for w in words if w.casefold() in alike]
    return same[0] if len(same) == 1 else None


def attribute_codes(name: str, column: pd.Series) -> tuple[np.ndarray, list[str], str]:
    """(N,) codes, -1 for missing, the words, and a sentence about what was done ("" for nothing)."""
    dates = pd.api.types.is_datetime64_any_dtype(column)
    if (is_numeric(column) or dates) and column.nunique() > MANY_NUMBERS:
        return _quarters(name, column, dates)
    codes, words = in_words(column)
    if is_numeric(column) or pd.api.types.is_bool_dtype(column):
        words = [f"{name} {w}" for w in words] if is_numeric(column) else words
    if len(words) > MAX_GROUPS:
        raise BadInput(f"Attribute {name}", f"{len(words):,} different values", f"at most {MAX_GROUPS} groups",
                       "choose another column or merge its values")
    return codes, words, ""


def _quarters(name: str, column: pd.Series, dates: bool) -> tuple[np.ndarray, list[str], str]:
    if dates:
        raw = column.astype("datetime64[ns]" if column.dt.tz is None else column.dtype).astype("int64")
        values = np.where(column.isna(), np.nan, raw.to_numpy(np.float64))
    else:
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    known = np.isfinite(values)
    edges = np.unique(np.quantile(values[known], [0.25, 0.5, 0.75])) if known.any() else np.array([])
    edges = edges[edges > values[known].min()] if len(edges) else edges
    shown = [str(pd.Timestamp(int(e)).date()) if dates else f"{e:.6g}" for e in edges]
    words = [f"{name} {'before' if dates else 'under'} {shown[0]}"] if shown else [name]
    words += [f"{name} {a} to {'before' if dates else 'under'} {b}" for a, b in zip(shown, shown[1:], strict=False)]
    words += [f"{name} {'from ' if dates else ''}{shown[-1]}{'' if dates else ' or more'}"] if shown else []
    unique = list(dict.fromkeys(words))
    place = np.array([unique.index(w) for w in words], dtype=np.int64)
    codes = np.where(known, place[np.searchsorted(edges, np.where(known, values, 0.0), side="right")], -1)
    return codes, unique, f"{name} has many values and was cut into {len(unique)} parts of about equal size."


def intersect(names: list[str], per: list[tuple[np.ndarray, list[str]]]) -> Groups:
    """Observed intersections, largest first; code -1 of an attribute is its own value "missing"."""
    if not names:
        return Groups(np.zeros(0, np.int64), ("everyone",), ({},))
    flat = np.zeros(len(per[0][0]), np.int64)
    for codes, words in per:
        cell = flat * (len(words) + 1) + codes + 1
        flat = pd.factorize(cell)[0].astype(np.int64)
    first = np.unique(flat, return_index=True)[1]
    if len(first) > MAX_GROUPS:
        raise BadInput("Attributes", f"{len(first):,} groups", f"at most {MAX_GROUPS}",
                       "take fewer attributes or merge rare values")
    parts = [{name: words[codes[at]] if codes[at] >= 0 else MISSING for name, (codes, words) in
              zip(names, per, strict=True)} for at in first]
    labels = [", ".join(p.values()) if len(p) == 1 else ", ".join(f"{a} missing" if w == MISSING else w
              for a, w in p.items()) for p in parts]
    if len(set(labels)) < len(labels):
        labels = [", ".join(f"{a} {w!r}" for a, w in p.items()) for p in parts]
    size = np.bincount(flat, minlength=len(labels))
    order = sorted(range(len(labels)), key=lambda k: (-size[k], labels[k]))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return Groups(place[flat], tuple(labels[k] for k in order), tuple(parts[k] for k in order))


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None
