"""Which column plays which part: guesses that a person corrects, and the dataset made from confirmed roles."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.groups import is_numeric, number
from core.data.leaks import find_leaks
from core.types import BadInput, Dataset, Roles, Table

__all__ = ["Guess", "find_leaks", "guess_roles", "label_values", "make_dataset", "numeric_label"]

LABEL_NAMES = ("label", "target", "y", "outcome", "class", "income", "default", "recid", "approved", "denied", "deny",
               "churn", "hired", "survived", "readmitted", "fraud", "passed", "fail")  # fmt: skip
POSITIVE_WORDS = ("yes", "true", "1", ">50k", "positive", "approved", "hired", "y", "t", "default", "bad", "fail")
ATTRIBUTE_NAMES = ("sex", "gender", "race", "ethnicity", "ethnic", "age", "religion", "nationality", "disability",
                   "marital", "native", "minority", "afam", "region")  # fmt: skip
WEIGHT_NAMES = ("weight", "weights", "sample_weight", "fnlwgt", "wgt", "survey_weight")
KEY_NAMES = ("person", "person_id", "user", "user_id", "customer", "customer_id", "patient", "patient_id", "subject")
MAX_CLASSES = 100
MANY_VALUES = 20


@dataclass(frozen=True)
class Guess:
    """Guessed roles and, for every column that is not an ordinary feature, the reason in one sentence."""

    roles: Roles
    reasons: Mapping[str, str]


def _tokens(name: object) -> set[str]:
    words = re.split(r"[^a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", str(name)).lower())
    return {w for w in words if w} | {str(name).lower()}


def word_of(value: object) -> str:
    """A cell as people read it: 1.0 is "1", True is "True"."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def numeric_label(frame: pd.DataFrame, label: str) -> bool:
    """True where the label is a number with more values than classes usually have."""
    return is_numeric(frame[label]) and frame[label].nunique() > MANY_VALUES


def label_values(frame: pd.DataFrame, label: str) -> list[tuple[str, int]]:
    """The label's words with their counts, commonest first; missing ones left out."""
    _need(frame, label, "Label")
    counts = frame[label].dropna().map(word_of).value_counts()
    return [(str(word), int(n)) for word, n in counts.items()]


def _guess_label(frame: pd.DataFrame) -> str:
    few = [c for c in frame.columns if 2 <= frame[c].nunique() <= MANY_VALUES]
    named = [c for c in frame.columns if _tokens(c) & set(LABEL_NAMES) and frame[c].nunique() >= 2]
    for pool in ([c for c in named if c in few], named, few[::-1], list(frame.columns)[::-1]):
        if pool:
            return pool[0]
    raise BadInput("Table", "no column", "at least two columns", "choose another file")


def guess_positive(frame: pd.DataFrame, label: str) -> str | None:
    """For two classes the word that reads as "yes", else the rarer one; None for any other number of classes."""
    values = label_values(frame, label)
    if len(values) != 2:
        return None
    for word, _ in values:
        if word.strip().lower() in POSITIVE_WORDS:
            return word
    return values[-1][0]


def guess_roles(frame: pd.DataFrame) -> Guess:
    """Look at names and values and guess every column's part. The label and the positive class need confirming."""
    label = _guess_label(frame)
    rest = [c for c in frame.columns if c != label]
    reasons: dict[str, str] = {}
    dropped: dict[str, str] = {}
    weight = next((c for c in rest if _tokens(c) & set(WEIGHT_NAMES) and _positive(frame[c])), None)
    key = next((c for c in rest if _tokens(c) & set(KEY_NAMES) and 1 < frame[c].nunique() < 0.98 * len(frame)), None)
    if weight:
        reasons[weight] = "its name says that it is a sample weight"
    if key:
        reasons[key] = "it repeats and names persons, so their rows stay together in the split"
    attributes: list[str] = []
    text: list[str] = []
    leaks = find_leaks(frame, label)
    for c in rest:
        if c in (weight, key):
            continue
        why = _unusable(frame[c]) or leaks.get(c)
        if _is_text(frame[c]):
            text.append(c)
            reasons[c] = "long free text: it is encoded by its words"
        elif why:
            dropped[c] = reasons[c] = why
        elif _tokens(c) & set(ATTRIBUTE_NAMES) and frame[c].nunique() <= 100:
            attributes.append(c)
            reasons[c] = "its name is that of a protected attribute"
    task = (
        "regression"
        if numeric_label(frame, label)
        else "binary"
        if len(label_values(frame, label)) == 2
        else "multiclass"
    )
    roles = Roles(
        label=label, positive=guess_positive(frame, label) if task == "binary" else None,
        attributes=tuple(sorted(attributes, key=_rank)[:2]), weight=weight, key=key,
        text=tuple(text), dropped=dropped, task=task,
    )  # fmt: skip
    return Guess(roles, reasons)


def _rank(column: str) -> int:
    tokens = _tokens(column)
    return next(k for k, name in enumerate(ATTRIBUTE_NAMES) if name in tokens)


def _positive(column: pd.Series) -> bool:
    return is_numeric(column) and bool((column.dropna() > 0).all())


def _is_text(column: pd.Series) -> bool:
    if is_numeric(column) or pd.api.types.is_datetime64_any_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    sample = column.dropna().astype(str).head(1000)
    return len(sample) > 0 and sample.str.len().mean() > 40 and sample.str.split().str.len().mean() > 6


def _unusable(column: pd.Series) -> str:
    seen = column.dropna()
    if len(seen) == 0:
        return "every value is missing"
    distinct = seen.nunique()
    if distinct == 1:
        return "it has one value only"
    wordy = not is_numeric(column) and not pd.api.types.is_datetime64_any_dtype(column)
    whole = is_numeric(column) and bool((seen == seen.round()).all())
    if distinct > 0.95 * len(seen) and len(seen) > 30:
        if wordy:
            return "nearly every value is different: it identifies rows"
        if whole and ("id" in _tokens(column.name) or bool((seen.diff().dropna() == 1).all())):
            return "it numbers the rows"
    return ""


# ------------------------------------------------------------------ from roles to a dataset


def _need(frame: pd.DataFrame, column: str, field: str) -> None:
    if column not in frame.columns:
        known = ", ".join(map(str, frame.columns[:12])) + (" and more" if frame.shape[1] > 12 else "")
        raise BadInput(
            field, f"the column {column!r}, which the table does not have", f"one of {known}", "choose again"
        )


def _check_columns(frame: pd.DataFrame, roles: Roles) -> None:
    _need(frame, roles.label, "Label")
    once: dict[str, str] = {roles.label: "label"}
    singles = {"sample weight": (roles.weight,), "split key": (roles.key,), "attribute": roles.attributes}
    for part, columns in singles.items():
        for c in columns:
            if c is None:
                continue
            _need(frame, c, part.capitalize())
            if c in once and not (part == "attribute" and once[c] == "split key"):
                raise BadInput(
                    part.capitalize(), f"{c!r}, which is already the {once[c]}", "another column", "choose again"
                )
            once[c] = part
    for c in roles.text:
        _need(frame, c, "Text")


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
    named = label.map(word_of)
    words = tuple(sorted(named.unique(), key=lambda w: (not _is_number(w), float(w) if _is_number(w) else 0.0, w)))
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
    index = {w: k for k, w in enumerate(words)}
    return named.map(index).to_numpy(np.int64), words


def _is_number(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False


def _two_words(words: tuple[str, ...], roles: Roles) -> tuple[str, str]:
    if len(words) != 2:
        raise BadInput("Label", f"{len(words)} classes in {roles.label}", "two classes", "train it as several classes")
    if roles.positive is None or str(roles.positive) not in words:
        raise BadInput("Positive class", repr(roles.positive), " or ".join(map(repr, words)), "choose one of the two")
    positive = str(roles.positive)
    return (words[0] if words[1] == positive else words[1], positive)


def _weights(frame: pd.DataFrame, roles: Roles) -> np.ndarray | None:
    if roles.weight is None:
        return None
    column, field = frame[roles.weight], "Sample weight"
    if not is_numeric(column):
        raise BadInput(field, f"words in {roles.weight}", "positive numbers", "choose another column or none")
    values = column.to_numpy(float, na_value=np.nan)
    bad = ~(np.isfinite(values) & (values > 0))
    if bad.any():
        found = f"{int(bad.sum()):,} rows of {roles.weight} that are zero, negative or missing"
        raise BadInput(field, found, "a positive number in every row", "remove those rows or choose none")
    return values / values.mean()


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
    key = None if roles.key is None else pd.factorize(frame[roles.key], use_na_sentinel=False)[0].astype(np.int64)
    return Dataset(
        name=name, title=title, frame=features, y=y, classes=classes,
        attributes=frame[list(roles.attributes)], weight=_weights(frame, roles), key=key, images=images, roles=roles,
        fingerprint=_fingerprint(frame, images, roles), notes=tuple(notes),
    )  # fmt: skip


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
