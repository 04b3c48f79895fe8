"""What the table holds: classes by group, the smallest cells, missing values by group, and the set's own cautions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from core import registry
from core.data.groups import number
from core.data.profile import class_columns
from core.types import Dataset, StudySpec
from pages._ui import counted, held, sizes
from pages._ui.text import clean, count, percent, plain

ENOUGH, CELLS = 30, 5


def answer(spec: StudySpec) -> str:
    """One or two sentences of Markdown about the label."""
    if spec.roles is None:
        return "Nothing is confirmed yet: say below which column is to be predicted and what its positive class is."
    data, label = held.dataset(spec), plain(spec.roles.label)
    if not data.classes:
        return (f"The number to predict, {label}, averages {number(round(float(data.y.mean()), 3))}. "
                "Training needs classes: cut it into two below, or look at it here.")
    share = np.bincount(data.y, minlength=len(data.classes)) / len(data.y)
    if len(data.classes) > 2:
        most, least = int(share.argmax()), int(share.argmin())
        return (f"{label} has {count(len(data.classes), 'class', 'classes')}, from {plain(data.classes[least])} "
                f"({percent(share[least])}) to {plain(data.classes[most])} ({percent(share[most])}).")
    return (f"{percent(share[1])} of the rows with a label are {plain(data.classes[1])}, the positive class"
            f"{_range(spec, data)}.")


def _range(spec: StudySpec, data: Dataset) -> str:
    table = counted.class_groups(spec)
    large = table[table["n"] >= ENOUGH]
    if len(large) < 2:
        return ""
    positive = class_columns(data)[1]
    low, high = large.loc[large[positive].idxmin()], large.loc[large[positive].idxmax()]
    return (f"; by group it runs from {percent(low[positive])} ({plain(low['group'])}) "
            f"to {percent(high[positive])} ({plain(high['group'])})")


def show(spec: StudySpec) -> None:
    """The profile, from shares by group to notes."""
    data = held.dataset(spec)
    st.header("Who is in it, and with which label?", anchor=False)
    if data.classes:
        sizes.draw(spec, shares=True)
    table = counted.class_groups(spec)
    shares = dict(zip(class_columns(data), data.classes, strict=True))
    names = {"group": "Group", "n": "Rows", "share": "Of all rows"}
    names |= {c: f"of these {clean(word)}" for c, word in shares.items()}
    show_table(table, names, ["share", *shares],
               alt="The groups with their number of rows and their share of each class")
    left, right = st.columns(2, gap="large")
    with left:
        _smallest(spec)
    with right:
        _missing(spec)
    _notes(spec, data)


def _smallest(spec: StudySpec) -> None:
    st.subheader("Smallest cells", anchor=False)
    cells = counted.sizes(spec)
    cells = cells[cells["n"] > 0].nsmallest(CELLS, "n")[["class", "group", "n", "warning"]]
    show_table(cells, {"class": "Class", "group": "Group", "n": "Rows", "warning": "What that means"}, [],
               alt="The smallest cells of class by group, with a warning each")


def _missing(spec: StudySpec) -> None:
    st.subheader("Missing values", anchor=False)
    table = counted.missing(spec)
    if table.empty:
        st.write("No feature has missing values.")
        return
    st.caption("Share of rows without a value, over all and within each group. They are filled in from the training "
               "rows alone, and the models are told where a value was missing.")
    names = {"column": "Column", "missing": "Rows", "share": "Everyone"}
    show_table(table, names, list(table.columns[2:]), alt="Columns with missing values, and their share in each group")


def _notes(spec: StudySpec, data: Dataset) -> None:
    notes = list(data.notes)
    if spec.data.source == "builtin":
        notes += registry.dataset(spec.data.name).card.harms
    if notes:
        st.subheader("Before drawing conclusions", anchor=False)
        st.markdown("\n".join(f"- {plain(note, 1000)}" for note in dict.fromkeys(notes)))


def show_table(table: pd.DataFrame, names: Mapping[str, str], shares: list[str], *, alt: str) -> None:
    """A table with `names` as headings, words on one line, and the columns `shares` (0 to 1) in percent."""
    shown, config = pd.DataFrame(index=table.index), {}
    for column in table.columns:
        name, values = names.get(column, clean(column)), table[column]
        if column in shares:
            shown[name] = 100 * values
            config[name] = st.column_config.NumberColumn(name, format="%.1f %%")
        elif pd.api.types.is_numeric_dtype(values):
            shown[name] = values
            config[name] = st.column_config.NumberColumn(name, format="localized")
        else:
            shown[name] = [clean(v) for v in values]
    st.dataframe(shown, hide_index=True, column_config=config, alt=alt)
