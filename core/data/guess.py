"""Guessed roles: what names and values of columns suggest, for a person to correct."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from core.data.groups import is_numeric
from core.data.labels import MANY_VALUES, label_values, numeric_label
from core.data.leaks import find_leaks
from core.types import BadInput, Roles

LABEL_NAMES = ("label", "target", "y", "outcome", "class", "decision", "verdict", "result", "answer", "response",
               "income", "default", "recid", "approved", "denied", "deny", "churn", "hired", "survived", "readmitted",
               "fraud", "passed", "fail", "species", "risk")  # fmt: skip
POSITIVE_WORDS = ("yes", "true", ">50k", ">50k.", "positive", "approved", "hired", "y", "t", "default", "bad", "fail",
                  "failed", "denied", "died")  # fmt: skip
ATTRIBUTE_NAMES = ("sex", "gender", "race", "ethnicity", "ethnic", "age", "religion", "nationality", "disability",
                   "disabled", "marital", "marriage", "native", "minority", "afam", "orientation", "pregnant",
                   "veteran", "caste", "citizenship", "foreign", "region")  # fmt: skip
WEIGHT_NAMES = ("weight", "weights", "fnlwgt", "wgt", "sampleweight", "sample_weight", "survey_weight")
WEIGHING = ("sample", "sampling", "survey", "case", "person", "final", "population")
BODILY = ("height", "bmi", "length", "diameter", "waist", "girth")
KEY_NAMES = ("person", "user", "customer", "patient", "subject", "applicant", "household", "participant", "client",
             "student", "employee", "worker")  # fmt: skip
MOST_ATTRIBUTES = 3


@dataclass(frozen=True)
class Guess:
    """Guessed roles and, for every column that is not an ordinary feature, the reason in one sentence."""

    roles: Roles
    reasons: Mapping[str, str]


def tokens(name: object) -> set[str]:
    """The words of a column name in small letters: "userId" -> {"user", "id", "userid"}."""
    words = re.split(r"[^a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", str(name)).lower())
    return {w for w in words if w} | {str(name).strip().lower()}


def guess_roles(frame: pd.DataFrame) -> Guess:
    """Look at names and values and guess every column's part. The label and the positive class need confirming."""
    label = guess_label(frame)
    rest = [c for c in frame.columns if c != label]
    reasons: dict[str, str] = {}
    weight = next((c for c in rest if _is_weight(frame, c)), None)
    if weight:
        reasons[weight] = "its name says that it is a sample weight"
    key = next((c for c in rest if c != weight and _is_key(frame[c])), None)
    if key:
        reasons[key] = "it repeats and names persons, so their rows stay together in the split"
    text, dropped, attributes = _parts(frame, label, [c for c in rest if c not in (weight, key)], reasons)
    values = label_values(frame, label)
    task = "regression" if numeric_label(frame, label) else "binary" if len(values) == 2 else "multiclass"
    roles = Roles(
        label=label, positive=guess_positive(frame, label) if task == "binary" else None,
        attributes=tuple(sorted(attributes, key=_rank)[:MOST_ATTRIBUTES]), weight=weight, key=key,
        text=tuple(text), dropped=dropped, task=task,
    )  # fmt: skip
    return Guess(roles, reasons)


def _parts(
    frame: pd.DataFrame, label: str, columns: list[str], reasons: dict[str, str]
) -> tuple[list[str], dict[str, str], list[str]]:
    """Columns of text, dropped columns with their reasons, and attributes; `reasons` is filled."""
    text: list[str] = []
    dropped: dict[str, str] = {}
    attributes: list[str] = []
    leaks = find_leaks(frame, label)
    for c in columns:
        why = _unusable(frame[c]) or leaks.get(c)
        if _is_text(frame[c]):
            text.append(c)
            reasons[c] = "long free text: it is encoded by its words"
        elif why:
            dropped[c] = reasons[c] = why
        elif tokens(c) & set(ATTRIBUTE_NAMES) and (is_numeric(frame[c]) or frame[c].nunique() <= 100):
            attributes.append(c)
            reasons[c] = "its name is that of a protected attribute"
    return text, dropped, attributes


def guess_label(frame: pd.DataFrame) -> str:
    """The first column named like a label, rather one of two values than of many; else the last one of few values."""
    distinct = {c: int(frame[c].nunique()) for c in frame.columns}
    usable = [c for c in frame.columns if distinct[c] >= 2 and not (_is_text(frame[c]) or _unusable(frame[c]))]
    named = [c for c in usable if tokens(c) & set(LABEL_NAMES)]
    other = [c for c in usable if not tokens(c) & {*ATTRIBUTE_NAMES, *WEIGHT_NAMES, *KEY_NAMES, "id"}]
    few = [[c for c in pool if distinct[c] <= MANY_VALUES] for pool in (named, other)]
    for pool in (few[0], few[1][::-1], named, other[::-1], usable[::-1], list(frame.columns)[::-1]):
        if pool:  # the first of equals
            return max(pool, key=lambda c: (str(c).strip().lower() in LABEL_NAMES, distinct[c] == 2))
    raise BadInput("Table", "no column", "at least two columns", "choose another file")


def guess_positive(frame: pd.DataFrame, label: str) -> str | None:
    """For two classes the word that reads as "yes", else the rarer one; None for any other number of classes."""
    values = label_values(frame, label)
    if len(values) != 2:
        return None
    words = [word for word, _ in values]
    if "1" in words and {"0", "-1"} & set(words):
        return "1"
    yes = [w for w in words if w.strip().lower() in POSITIVE_WORDS]
    return yes[0] if len(yes) == 1 else values[-1][0]


def _rank(column: str) -> int:
    found = tokens(column)
    return next(k for k, name in enumerate(ATTRIBUTE_NAMES) if name in found)


def _is_weight(frame: pd.DataFrame, name: str) -> bool:
    """A positive number in every row, named like a sample weight and not like the weight of a body."""
    found, column = tokens(name), frame[name]
    if not found & set(WEIGHT_NAMES) or not is_numeric(column) or not bool((column > 0).all()):
        return False
    if found & set(WEIGHING) or not found & {"weight", "weights"}:
        return True
    bodies = set().union(*(tokens(c) for c in frame.columns)) & set(BODILY)
    return str(name).strip().lower() in WEIGHT_NAMES and not bodies


def _is_key(column: pd.Series) -> bool:
    """Repeats, and is named like a person; or has "id" in its name and very many values."""
    found, distinct = tokens(column.name), column.nunique()
    if not 1 < distinct < 0.98 * len(column):
        return False
    whole = not is_numeric(column) or bool((column.dropna() % 1 == 0).all())
    if found & set(KEY_NAMES) and "id" in found or str(column.name).strip().lower() in KEY_NAMES:
        return whole and distinct > 2
    return whole and "id" in found and distinct > max(50, 0.1 * len(column))


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
        return "it has one value only" if len(seen) == len(column) else ""
    wordy = not is_numeric(column) and not pd.api.types.is_datetime64_any_dtype(column)
    if distinct > 0.95 * len(seen) and len(seen) > 30:
        if wordy:
            return "nearly every value is different: it identifies rows"
        whole = is_numeric(column) and bool((seen % 1 == 0).all())
        if whole and ("id" in tokens(column.name) or bool((seen.diff().dropna() == 1).all())):
            return "it numbers the rows"
    return ""
