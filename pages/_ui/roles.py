"""The roles form: label, positive class, attributes, and what the other columns are for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.store.base import StudyRow
from core.types import Roles, Table
from pages._ui import columns, counted, held
from pages._ui.label import target
from pages._ui.text import clean, count, plain

ENCODERS = {"tfidf": "The words of this table (TF-IDF, then its main directions)",
            "word_vectors": "Shipped word vectors, averaged"}


def form(row: StudyRow, table: Table) -> Roles | None:
    """The roles as the form says them; None while the positive class is not confirmed.

    What is typed is kept by study and data, also while the person visits other screens.
    """
    guess = counted.guess(row.spec.data)
    start = row.spec.roles or guess.roles
    key = f"{row.id}:{held.digest(row.spec.data)[:8]}"
    names = list(table.frame.columns)
    known = start.label if start.label in names else guess.roles.label  # a study file may name another table's column
    left, right = st.columns(2, gap="large")
    with left:
        label = st.selectbox("Label: what is predicted", names, names.index(known), format_func=clean,
                             key=f"{key}:label", persist_state="session",
                             help="The column that the models learn to predict.")
        _why(guess.reasons, label)
        aim = target(key, row.spec.data, table.frame, label, start, confirmed=row.spec.roles is not None)
    with right:
        others = [c for c in names if c != label]
        attributes = st.multiselect(
            "Attributes: whose outcomes are compared", others, [a for a in start.attributes if a in others],
            format_func=clean, key=f"{key}:attributes", persist_state="session",
            help="Columns such as sex, race or age. How they are cut into groups is the next page.")
        seen = st.toggle("The models may use the attributes", start.attributes_as_features, key=f"{key}:seen",
                         persist_state="session",
                         help="Off: the attributes only define groups and are hidden from the models.")
        chosen = _rest(key, table.frame, [c for c in others if c not in attributes], start)
    text, dropped = _columns(key, row, table, start, label, attributes, chosen, guess.reasons)
    if aim is None:
        return None
    return replace(aim, attributes=tuple(attributes), attributes_as_features=seen, text=text, dropped=dropped, **chosen)


def _rest(key: str, frame: pd.DataFrame, free: list[str], start: Roles) -> dict[str, Any]:
    numeric = [c for c in free if pd.api.types.is_numeric_dtype(frame[c])]
    with st.expander("Weights, people with several rows, text", key=f"rest-{key.replace(':', '-')}"):
        weight = st.selectbox("Sample weight", [None, *numeric], _at(numeric, start.weight), format_func=_name,
                              key=f"{key}:weight", persist_state="session",
                              help="How many people a row stands for; every rate is weighted with it.")
        keys = [c for c in free if c != weight]
        together = st.selectbox("Keep rows together by", [None, *keys], _at(keys, start.key), format_func=_name,
                                key=f"{key}:key", persist_state="session",
                                help="Rows with the same value, such as one person's, never part between training "
                                     "and test.")
        encoder = st.selectbox("Text is read as", list(ENCODERS), list(ENCODERS).index(start.text_encoder),
                               format_func=ENCODERS.get, key=f"{key}:encoder", persist_state="session",
                               help="How columns marked as text below become numbers.")
    return {"weight": weight, "key": together, "text_encoder": encoder}


def _columns(key: str, row: StudyRow, table: Table, start: Roles, label: str, attributes: list[str],
             chosen: dict[str, Any], reasons: dict[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    parts = {a: "group" for a in attributes} | {label: "label"}
    parts |= {c: part for c, part in ((chosen["weight"], "weight"), (chosen["key"], "keeps rows together")) if c}
    facts = counted.columns(row.spec.data)
    with st.expander(f"The {count(len(facts), 'column')} one by one", expanded=row.spec.roles is None,
                     key=f"columns-{key.replace(':', '-')}"):
        warn = st.container()
        text, dropped = columns.editor(f"{key}:table", facts, start, parts, reasons)
    leaks = {c: why for c, why in counted.leaks(row.spec.data, label).items() if c not in dropped and c not in parts}
    if leaks:
        with warn:
            st.warning(plain(" ".join(f"{c}: {why}" for c, why in list(leaks.items())[:3]), 400))
            st.button("Leave them out", key=f"{key}:leaks", on_click=columns.drop,
                      args=(f"{key}:table", list(table.frame.columns), leaks),
                      help="Marks these columns as dropped, with the reason.")
    return text, dropped


def _why(reasons: dict[str, str], column: str) -> None:
    if column in reasons:
        st.caption(plain(reasons[column], 300))


def _at(options: list[str], value: str | None) -> int:
    return 1 + options.index(value) if value in options else 0


def _name(column: str | None) -> str:
    return "none" if column is None else clean(column)
