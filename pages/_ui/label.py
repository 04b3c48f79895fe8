"""What exactly is predicted: the positive class of a label, a cut of a number, several classes, or the number itself."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.types import DataSpec, Roles
from pages._ui import held
from pages._ui.text import count, percent, plain

MANY = 10
CUT, NUMBER = "Two classes, cut at a value", "The number itself"


def target(key: str, data: DataSpec, frame: pd.DataFrame, label: str, start: Roles, *,
           confirmed: bool) -> Roles | None:
    """Ask what of `label` is predicted.

    Args:
        key: prefix of the widgets' keys.
        data, frame: where the table comes from, and the table.
        label: the chosen column.
        start: the roles to begin with.
        confirmed: False where the positive class must be chosen explicitly.

    Returns:
        Roles with label, positive, task and threshold set; None while the positive class is open.
    """
    column = frame[label]
    same = label == start.label
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column) and column.nunique() > MANY:
        return _number(f"{key}:{label}", column, label, start if same else None)
    values = held.label_values(data, label)
    if len(values) != 2:
        shown = ", ".join(f"{word} ({n:,})" for word, n in values[:6]) + (", …" if len(values) > 6 else "")
        st.caption(plain(f"{count(len(values), 'class', 'classes')}: {shown}.", 400))
        return Roles(label, None, task="multiclass")
    return _positive(f"{key}:{label}", label, values, start.positive if same and confirmed else None)


def _positive(key: str, label: str, values: list[tuple[str, int]], start: str | None) -> Roles | None:
    words, total = [word for word, _ in values], sum(n for _, n in values)
    sizes = dict(values)
    positive = st.radio(
        "Positive class: the outcome that is counted", words, words.index(start) if start in words else None,
        format_func=lambda w: plain(f"{w}: {count(sizes[w], 'row')}, {percent(sizes[w] / total)}"),
        key=f"{key}:positive", persist_state="session",
        help="Rates such as the selection rate and the true positive rate speak about this class.")
    if positive is None:
        st.info("Choose the positive class to go on: which of the two is the outcome that rates speak about?")
        return None
    return Roles(label, positive, task="binary")


def _number(key: str, column: pd.Series, label: str, start: Roles | None) -> Roles:
    aims = [CUT, NUMBER]
    regression = start is not None and start.task == "regression"
    aim = st.radio("What of this number is predicted", aims, int(regression), key=f"{key}:aim", persist_state="session",
                   help="Training needs classes so far; the number itself can be described, not trained on.")
    if aim == NUMBER:
        return Roles(label, None, task="regression")
    low, high = float(column.min()), float(column.max())
    first = start.threshold if start is not None and start.threshold is not None else float(column.median())
    cut = st.number_input("Positive from", low, high, min(max(first, low), high), format="%g", key=f"{key}:cut",
                          persist_state="session", help="Rows with this value or more are the positive class.")
    if cut is None:
        cut = first
    st.caption(f"{percent((column >= cut).mean())} of the rows reach {cut:g}; the median is {column.median():g}.")
    return Roles(label, "yes", task="binary", threshold=float(cut))
