"""What exactly is predicted: the positive class, a number cut in two, several classes, or the number itself."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.data.groups import is_numeric, number
from core.data.roles import numeric_label
from core.types import DataSpec, Roles
from pages._ui import counted
from pages._ui.text import count, percent, plain

CLASSES, CUT, NUMBER = "Its values as classes", "Two classes, cut at a value", "The number itself"


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
    column, begin = frame[label], start if label == start.label else Roles(label)
    values = counted.label_values(data, label)
    if is_numeric(column) and len(values) > 2:
        aims = [CUT, NUMBER] if numeric_label(frame, label) else [CLASSES, CUT, NUMBER]
        aim = _aim(f"{key}:{label}", aims, begin)
        if aim == NUMBER:
            return Roles(label, None, task="regression")
        if aim == CUT:
            return _cut(f"{key}:{label}", column, begin)
    if len(values) == 2:
        return _positive(f"{key}:{label}", label, values, begin.positive if confirmed else None)
    shown = ", ".join(f"{word} ({n:,})" for word, n in values[:6]) + (", …" if len(values) > 6 else "")
    st.caption(plain(f"{count(len(values), 'class', 'classes')}: {shown}.", 400))
    return Roles(label, None, task="multiclass")


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


def _aim(key: str, aims: list[str], start: Roles) -> str:
    first = NUMBER if start.task == "regression" else CUT if start.threshold is not None else aims[0]
    return st.radio("What of this number is predicted", aims, aims.index(first), key=f"{key}:aim",
                    persist_state="session",
                    help="Training needs classes so far; the number itself can be described, not trained on.")


def _cut(key: str, column: pd.Series, start: Roles) -> Roles:
    low, high = float(column.min()), float(column.max())
    first = start.threshold if start.threshold is not None else float(column.median())
    cut = st.number_input("Positive from", low, high, min(max(first, low), high), format="%g", key=f"{key}:cut",
                          persist_state="session", help="Rows with this value or more are the positive class.")
    cut = float(first if cut is None else cut)
    st.caption(f"{percent(float((column >= cut).mean()))} of the rows reach {number(cut)}; "
               f"the median is {number(float(column.median()))}.")
    return Roles(start.label, "yes", task="binary", threshold=cut)
