"""How the values of one attribute become groups: as they are, in equal parts, or cut; and what they are called."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.data.groups import is_numeric, number
from core.types import AttributeSpec, BadInput
from pages._ui.text import clean, plain

WAYS = {"none": "As they are", "quantiles": "Parts of equal size", "edges": "Cut at values"}
FEW, NAMED = 2, 40


def form(key: str, values: pd.Series, start: AttributeSpec) -> AttributeSpec | None:
    """One attribute's settings; None where an edge cannot be read (the reason is shown).

    Args:
        key: prefix of the widgets' keys.
        values: the raw column.
        start: what to begin with.
    """
    if not is_numeric(values) or values.nunique() <= FEW:
        return _names(key, values, start)
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"bin-{_slug(key)}"):
        begin = "edges" if start.edges else "quantiles" if start.quantiles else "none"
        way = st.segmented_control(f"How {plain(start.column, 40)} is cut", list(WAYS), format_func=WAYS.get,
                                   default=begin, required=True, key=f"{key}:way", persist_state="session",
                                   help="A number becomes bands. A cut at 40 makes two: under 40, and 40 or more.")
        if way == "quantiles":
            parts = st.number_input("Parts", 2, 10, start.quantiles or 4, key=f"{key}:parts", width=120,
                                    persist_state="session", help="Four parts: a quarter of the rows in each.")
            return replace(start, edges=(), quantiles=int(parts or 4))
        if way == "edges":
            return _edges(key, values, start)
    return _names(key, values, replace(start, edges=(), quantiles=0))


def read_edges(typed: str, column: str, low: float, high: float) -> tuple[float, ...]:
    """ "25, 45" -> (25.0, 45.0), ascending, without doubles; BadInput for words and for cuts outside low..high."""
    allowed = f"numbers above {low:g} and up to {high:g}, with commas between them"
    hint = f"try {(low + high) / 2:.3g}"
    words = [w for w in re.split(r"[,;\s]+", typed.strip()) if w]
    try:
        edges = sorted({float(w) for w in words})
    except ValueError:
        raise BadInput(f"Cuts of {column}", repr(typed), allowed, hint) from None
    if not edges or not all(math.isfinite(e) and low < e <= high for e in edges):
        raise BadInput(f"Cuts of {column}", repr(typed), allowed, hint)
    return tuple(edges)


def _edges(key: str, values: pd.Series, start: AttributeSpec) -> AttributeSpec | None:
    first = ", ".join(f"{e:g}" for e in start.edges) or f"{values.median():g}"
    typed = st.text_input("Cuts", first, key=f"{key}:edges", persist_state="session", width=240,
                          help="The lowest value of each band above the first, with commas between them.")
    try:
        return replace(start, quantiles=0,
                       edges=read_edges(typed, start.column, float(values.min()), float(values.max())))
    except BadInput as refused:
        st.error(plain(refused, 400))
        return None


def _names(key: str, values: pd.Series, start: AttributeSpec) -> AttributeSpec:
    """Names for the values, so that groups are read as words."""
    counts = values.dropna().map(number if is_numeric(values) else str).value_counts()
    if not 0 < len(counts) <= NAMED:
        return start
    with st.popover(f"Words for {plain(start.column, 40)}", type="tertiary", icon=":material/edit:",
                    key=f"words-{_slug(key)}", help="Codes such as 1 and 2 become words such as women and men."):
        shown = pd.DataFrame({"value": [clean(v) for v in counts.index], "rows": counts.to_numpy(),
                              "word": [start.words.get(v, "") for v in counts.index]})
        edited = st.data_editor(shown, key=f"{key}:words", hide_index=True, num_rows="fixed",
                                disabled=["value", "rows"], column_config=_columns(),
                                alt=f"The values of {start.column} and the words people read for them")
    words = {v: clean(w, 60) for v, w in zip(counts.index, edited["word"], strict=True) if w and clean(w, 60)}
    kept = {v: w for v, w in start.words.items() if v not in set(counts.index)}
    return replace(start, words=kept | words)


def _columns() -> dict[str, object]:
    column = st.column_config
    return {
        "value": column.TextColumn("Value", help="As it stands in the table"),
        "rows": column.NumberColumn("Rows", format="localized", help="Rows with this value"),
        "word": column.TextColumn("Word", max_chars=60, help="Empty: the value itself is shown"),
    }


def _slug(key: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "-", key)
