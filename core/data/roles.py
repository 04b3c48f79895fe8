"""From a table and confirmed roles to a dataset: every part is checked, rows without a label are left out."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd

from core.data.groups import is_numeric, number
from core.data.guess import Guess, guess_positive, guess_roles
from core.data.labels import in_words, label_values, need_column, numeric_label, sorted_words
from core.data.leaks import find_leaks
from core.inference import effective_n
from core.types import BadInput, Dataset, Roles, Table

__all__ = ["Guess", "find_leaks", "guess_positive", "guess_roles", "label_values", "make_dataset", "numeric_label"]

MAX_CLASSES = 100
HUGE = 1e290


def _check_columns(frame: pd.DataFrame, roles: Roles) -> None:
    need_column(frame, roles.label, "Label")
    once: dict[str, str] = {roles.label: "label"}
    singles = {"sample weight": (roles.weight,), "split key": (roles.key,), "attribute": roles.attributes}
    for part, columns in singles.items():
        for c in columns:
            if c is None:
                continue
            need_column(frame, c, part.capitalize())
            if c in once and not (part == "attribute" and once[c] == "split key"):
                raise BadInput(
                    part.capitalize(), f"{c!r}, which is already the {once[c]}", "another column", "choose again"
                )
            once[c] = part
    for c in roles.text:
        need_column(frame, c, "Text")
    for c in roles.dropped:
        need_column(frame, c, "Dropped column")


def _codes(frame: pd.DataFrame, roles: Roles) -> tuple[np.ndarray, tuple[str, ...]]:
    """Class codes and words of the kept rows."""
    label = frame[roles.label]
    if roles.threshold is not None:
        if not is_numeric(label):
            raise BadInput(
                "Label threshold", f"{roles.label}, a column of words", "a column of numbers", "remove the threshold"
            )
        y = (label.to_numpy(float) >= roles.threshold).astype(np.int64)
        cut = number(roles.threshold)
        words: tuple[str, ...] = (f"{roles.label} under {cut}", f"{roles.label} {cut} or more")
        if len(np.unique(y)) < 2:
            raise BadInput("Label threshold", cut, "a number that leaves rows on both sides",
                           f"use {number(float(label.median()))}, the median")  # fmt: skip
        return y, words
    codes, found = in_words(label)
    words = sorted_words(found)
    if len(words) < 2:
        raise BadInput(
            "Label", f"one value, {words[0]!r}, in {roles.label}", "at least two classes", "choose another column"
        )
    if len(words) > MAX_CLASSES:
        hint = "set a threshold or predict it as a number" if is_numeric(label) else "choose another column"
        raise BadInput(
            "Label", f"{len(words):,} different values in {roles.label}", f"at most {MAX_CLASSES} classes", hint
        )
    if roles.task == "binary":
        words = _two_words(words, roles)
    return np.array([words.index(w) for w in found], dtype=np.int64)[codes], words


def _two_words(words: tuple[str, ...], roles: Roles) -> tuple[str, str]:
    if len(words) != 2:
        raise BadInput("Label", f"{len(words)} classes in {roles.label}", "two classes", "train it as several classes")
    if roles.positive is None or str(roles.positive) not in words:
        raise BadInput("Positive class", repr(roles.positive), " or ".join(map(repr, words)), "choose one of the two")
    positive = str(roles.positive)
    return (words[0] if words[1] == positive else words[1], positive)


def _weights(frame: pd.DataFrame, roles: Roles) -> tuple[np.ndarray | None, list[str]]:
    """(N,) weights with mean 1, and a note where few rows carry nearly all of them."""
    if roles.weight is None:
        return None, []
    column, field = frame[roles.weight], "Sample weight"
    if not is_numeric(column):
        raise BadInput(field, f"words in {roles.weight}", "positive numbers", "choose another column or none")
    values = column.to_numpy(float, na_value=np.nan)
    bad = ~(np.isfinite(values) & (values > 0))
    if bad.any():
        found = f"{int(bad.sum()):,} rows of {roles.weight} that are zero, negative or missing"
        raise BadInput(field, found, "a positive number in every row", "remove those rows or choose none")
    if values.max() > HUGE:  # their sum might be no number
        values = values / values.max()
    return values / values.mean(), _uneven_weights(values / values.max(), roles.weight)


def _uneven_weights(w: np.ndarray, name: str) -> list[str]:
    """A note where the rows count like a tenth of them, or like fewer than two, by Kish's effective number."""
    effective = float(effective_n(w))
    if len(w) < 2 or effective >= max(2.0, len(w) / 10):
        return []
    count = f"{len(w):,} rows count like {effective:,.1f} of equal weight (Kish's effective rows)"
    share = min(99.9, 100 * float(w.max() / w.sum()))
    if share < 1:
        return [f"Weights in {name} are uneven: {count}, so intervals are wide."]
    return [f"One row carries {share:.1f} % of all weight in {name}: {count}. Check that column for a slip, or choose "
            "no weight."]  # fmt: skip


def make_dataset(table: Table, roles: Roles, name: str, title: str) -> Dataset:
    """A dataset from a table and confirmed roles. Rows without a label are left out, and `notes` says how many."""
    frame, images = table.frame, table.images
    _check_columns(frame, roles)
    if roles.task not in ("binary", "multiclass", "regression"):
        raise BadInput(
            "Kind of label", repr(roles.task), "binary, multiclass or regression", "use binary for two classes"
        )
    has = frame[roles.label].notna().to_numpy()
    notes = list(table.notes)
    if not has.any():
        raise BadInput("Label", f"no value at all in {roles.label}", "a label in some rows", "choose another column")
    if not has.all():
        notes.append(f"{int((~has).sum()):,} rows without a label were left out.")
        frame, images = frame.loc[has].reset_index(drop=True), images[has] if images is not None else None
    if roles.task == "regression" and roles.threshold is None:
        y, classes = _numbers(frame, roles), tuple[str, ...]()
    else:
        y, classes = _codes(frame, roles)
    out = {roles.label, roles.weight, roles.key, *roles.dropped}
    if not roles.attributes_as_features:
        out |= set(roles.attributes)
    features = frame[[c for c in frame.columns if c not in out]]
    if features.shape[1] == 0 and images is None:
        raise BadInput("Features", "no column left", "at least one feature", "drop fewer columns")
    key, alone = _keys(frame, roles)
    weight, uneven = _weights(frame, roles)
    attributes, same = _attributes(frame, roles, y, len(classes))
    return Dataset(
        name=name, title=title, frame=features, y=y, classes=classes, attributes=attributes,
        weight=weight, key=key, images=images, roles=roles,
        fingerprint=_fingerprint(frame, images, roles), notes=(*notes, *alone, *uneven, *same),
    )  # fmt: skip


def _keys(frame: pd.DataFrame, roles: Roles) -> tuple[np.ndarray | None, list[str]]:
    """(N,) int64 codes of the split key, and notes; every row without a key is on its own."""
    if roles.key is None:
        return None, []
    codes, values = pd.factorize(frame[roles.key])
    alone = codes < 0
    codes = codes.astype(np.int64)
    codes[alone] = len(values) + np.arange(alone.sum())
    told = f"{int(alone.sum()):,} rows without {roles.key} are split one by one."
    return codes, [told] if alone.any() else []


def _attributes(frame: pd.DataFrame, roles: Roles, y: np.ndarray, n_classes: int) -> tuple[pd.DataFrame, list[str]]:
    """The attribute columns, dates as years, and notes on those that say the same as the label.

    Raises:
        BadInput: an attribute is a copy of the label.
    """
    columns, told = {}, []
    for c in roles.attributes:
        column = frame[c]
        if n_classes and _same_partition(pd.factorize(column, use_na_sentinel=False)[0], y, n_classes):
            if set(label_values(frame, c)) == set(label_values(frame, roles.label)):
                raise BadInput("Attribute", f"{c!r}, a copy of the label", "a column whose groups have several classes",
                               "choose another column")  # fmt: skip
            told.append(f"{c} says the same as the label, so that every group has one class and most rates within a "
                        "group are undefined.")  # fmt: skip
        columns[c] = column.dt.year.astype("float64") if pd.api.types.is_datetime64_any_dtype(column) else column
    return pd.DataFrame(columns, index=frame.index), told


def _same_partition(codes: np.ndarray, y: np.ndarray, n_classes: int) -> bool:
    """True where every value has one class and every class one value."""
    n_values = int(codes.max()) + 1
    return n_values == n_classes and len(np.unique(codes.astype(np.int64) * n_classes + y)) == n_classes


def _numbers(frame: pd.DataFrame, roles: Roles) -> np.ndarray:
    if not is_numeric(frame[roles.label]):
        raise BadInput("Label", f"words in {roles.label}", "numbers, to predict a number", "predict classes instead")
    return frame[roles.label].to_numpy(float)


def _fingerprint(frame: pd.DataFrame, images: np.ndarray | None, roles: Roles) -> str:
    made = hashlib.sha256(repr((list(map(str, frame.columns)), roles)).encode())
    made.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    if images is not None:
        made.update(np.ascontiguousarray(images).tobytes())
    return made.hexdigest()[:16]
