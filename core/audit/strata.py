"""What is compared between two groups, and the parts of a column within which it is compared.

N rows; a stratum is a part of a column: a range of a number, a word, or what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.audit.words import MISSING, in_words, is_numeric
from core.types import BadInput, Predictions

OUTCOMES = {  # name -> what is counted, of whom
    "selection": ("predicted {positive}", "everyone"), "label": ("truly {positive}", "everyone"),
    "tpr": ("predicted {positive}", "those who are truly {positive}"),
    "fpr": ("predicted {positive}", "those who are not {positive}"),
    "error": ("predicted wrongly", "everyone")}  # fmt: skip
OTHER = "other (merged)"
FEW_NUMBERS = 8  # numbers with at most this many values keep every value
MOST_WORDS = 12
FEWEST = 10


@dataclass(frozen=True)
class Outcome:
    """A rate: name of OUTCOMES, here (N,) bool the rows it speaks of, value (N,) 0 or 1 and NaN elsewhere, words of
    what is counted and of whom."""

    name: str
    here: np.ndarray
    value: np.ndarray
    counted: str
    whom: str


@dataclass(frozen=True)
class Stratifier:
    """Parts of one column or of several crossed: names, code (N,) int64 in 0..S-1, S labels."""

    names: tuple[str, ...]
    code: np.ndarray
    labels: tuple[str, ...]


def outcomes_of(rows: Predictions, model: int = 0) -> tuple[str, ...]:
    """Which of OUTCOMES these rows can answer."""
    said, labelled = rows.models[model].pred is not None, rows.y is not None
    two = len(rows.classes) == 2
    there = {"selection": said and two, "label": labelled and two, "tpr": said and labelled and two,
             "fpr": said and labelled and two, "error": said and labelled}
    return tuple(name for name, is_there in there.items() if is_there)


def outcome_of(rows: Predictions, model: int = 0, name: str = "selection") -> Outcome:
    """The rate `name` row by row. Raises BadInput where the rows cannot answer it."""
    allowed = outcomes_of(rows, model)
    if name not in allowed:
        raise BadInput("Outcome", repr(name), ", ".join(allowed) or "none: there are no decisions",
                       "choose another outcome or set a threshold")
    pred, y = rows.models[model].pred, rows.y
    here = np.ones(rows.n, bool) if name not in ("tpr", "fpr") else np.asarray(y) == int(name == "tpr")
    hit = {"label": lambda: np.asarray(y) == 1, "error": lambda: np.asarray(pred) != np.asarray(y)}
    value = hit.get(name, lambda: np.asarray(pred) == 1)().astype(np.float64)
    positive = rows.classes[1] if len(rows.classes) == 2 else ""
    counted, whom = (text.format(positive=positive) for text in OUTCOMES[name])
    return Outcome(name, here, np.where(here, value, np.nan), counted, whom)


def largest_gap(rows: Predictions, outcome: Outcome) -> tuple[int, int, int]:
    """The groups with the lowest and the highest rate among those with at least `min_n` rows of the outcome, and how
    many pairs of groups they were picked from. Raises BadInput with fewer than two such groups."""
    weight = (np.ones(rows.n) if rows.w is None else rows.w)[outcome.here]
    code = rows.groups.code[outcome.here]
    size, mass = np.bincount(code, minlength=rows.n_attrs), np.bincount(code, weight, rows.n_attrs)
    hits = np.bincount(code, weight * outcome.value[outcome.here], rows.n_attrs)
    known = np.flatnonzero((size >= max(rows.spec.min_n, 1)) & (mass > 0))
    if len(known) < 2:
        raise BadInput("Groups", f"{len(known)} with at least {rows.spec.min_n} rows of {outcome.whom}", "two groups",
                       "choose another attribute or a lower limit of rows")
    rate = hits[known] / mass[known]
    low, high = int(rate.argmin()), int(rate.argmax())
    high = high if high != low else (low + 1) % len(known)
    return int(known[low]), int(known[high]), len(known) * (len(known) - 1) // 2


def stratify(name: str, column: pd.Series, parts: int = 5, most: int = MOST_WORDS,
             fewest: int = FEWEST) -> Stratifier:
    """Parts of one column: numbers and dates with many values are cut into `parts` of about equal size; words with
    fewer than `fewest` rows, or beyond the `most` largest, are merged; missing cells are a part of their own.

    Raises BadInput where the column cannot part anybody: one value, or nothing but rare values.
    """
    if not 2 <= parts <= 50:
        raise BadInput("Parts", f"{parts}", "2 to 50", "use 5")
    dates = pd.api.types.is_datetime64_any_dtype(column)
    if (is_numeric(column) or dates) and column.nunique() > FEW_NUMBERS:
        code, labels = _quantile_parts(column, parts, dates)
    else:
        code, labels = in_words(column)
        if is_numeric(column):
            order = np.argsort([float(w) for w in labels]).tolist()
            code, labels = np.append(np.argsort(order), -1)[code], [labels[k] for k in order]
        else:
            code, labels = _merged(name, code, labels, most, fewest)
    missing = code < 0
    if missing.any():
        code = np.where(missing, len(labels), code)
        labels = [*labels, MISSING if MISSING not in labels else f"{MISSING} "]
    if len(np.unique(code)) < 2:
        raise BadInput(f"Feature {name}", "one value", "at least two", "choose another feature")
    return Stratifier((name,), code.astype(np.int64), tuple(labels))


def cross(one: Stratifier, other: Stratifier, fewest: int = FEWEST) -> Stratifier:
    """Every part of one with every part of the other; crossings with fewer than `fewest` rows are merged."""
    flat = one.code * len(other.labels) + other.code
    size = np.bincount(flat, minlength=len(one.labels) * len(other.labels))
    kept = np.flatnonzero(size >= fewest)
    place = np.full(len(size), len(kept), np.int64)
    place[kept] = np.arange(len(kept))
    labels = [f"{one.labels[k // len(other.labels)]}, {other.labels[k % len(other.labels)]}" for k in kept]
    rest = bool((size[size < fewest] > 0).any())
    return Stratifier(one.names + other.names, place[flat], tuple([*labels, OTHER] if rest else labels))


def _quantile_parts(column: pd.Series, parts: int, dates: bool) -> tuple[np.ndarray, list[str]]:
    if dates:
        raw = column.astype("datetime64[ns]" if column.dt.tz is None else column.dtype).astype("int64")
        values = np.where(column.isna(), np.nan, raw.to_numpy(np.float64))
    else:
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    finite = values[np.isfinite(values)]
    edges = _edges(finite, parts)
    shown = [str(pd.Timestamp(int(e)).date()) if dates else f"{e:.6g}" for e in edges]
    if not shown:
        return np.where(np.isnan(values), -1, 0), ["all"]
    before = "before" if dates else "under"
    labels = [f"{before} {shown[0]}", *[f"{a} to {before} {b}" for a, b in zip(shown, shown[1:], strict=False)],
              f"from {shown[-1]}" if dates else f"{shown[-1]} or more"]
    return np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="right")), labels


def _edges(finite: np.ndarray, parts: int) -> np.ndarray:
    """Inner edges of parts of about equal size; where most share the lowest value it is a part of its own."""
    above = finite[finite > finite.min()] if len(finite) else finite
    if not len(above):
        return above
    inner = np.arange(1, parts) / parts
    edges = np.unique(np.quantile(finite, inner, method="higher"))
    edges = edges[edges > finite.min()]
    return edges if len(edges) else np.unique([above.min(), np.quantile(above, 0.5, method="higher")])


def _merged(name: str, code: np.ndarray, words: list[str], most: int,
            fewest: int) -> tuple[np.ndarray, list[str]]:
    """Words, the largest first, with the rare ones put together."""
    size = np.bincount(code[code >= 0], minlength=len(words))
    order = np.argsort(-size, kind="stable")
    kept = [int(k) for k in order[:most] if size[k] >= fewest]
    if not kept and len(words) > 1:
        raise BadInput(f"Feature {name}", f"{len(words):,} values with fewer than {fewest} rows each",
                       "values that repeat", "choose another feature")
    place = np.full(len(words) + 1, len(kept), np.int64)
    place[kept], place[-1] = np.arange(len(kept)), -1
    labels = [words[k] for k in kept]
    return place[code], [*labels, OTHER if OTHER not in labels else f"{OTHER} "] if len(kept) < len(words) else labels
