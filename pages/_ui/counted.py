"""Small tables about a study's data, counted once for all sessions. Treat what comes back as read-only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from core.data import profile
from core.data.groups import size_table
from core.data.roles import Guess, find_leaks, guess_roles
from core.data.roles import label_values as values_of
from core.types import DataSpec, StudySpec
from pages._ui import held


def guess(data: DataSpec) -> Guess:
    """The guessed roles of a table, with a reason for each."""
    return _kept("guess", held.digest(data), str(held.home()), lambda: guess_roles(held.table(data).frame))


def label_values(data: DataSpec, label: str) -> list[tuple[str, int]]:
    """The values of a label column with their number of rows."""
    return _kept("label", held.digest(data, label), str(held.home()), lambda: values_of(held.table(data).frame, label))


def leaks(data: DataSpec, label: str) -> dict[str, str]:
    """Columns that nearly give the label away -> why."""
    return _kept("leaks", held.digest(data, label), str(held.home()), lambda: find_leaks(held.table(data).frame, label))


def columns(data: DataSpec) -> pd.DataFrame:
    """One row a column: see core.data.profile.column_table."""
    return _kept("columns", held.digest(data), str(held.home()), lambda: profile.column_table(held.table(data).frame))


def sizes(spec: StudySpec) -> pd.DataFrame:
    """Rows of every group and class, in all and in each part: see core.data.groups.size_table."""
    return _kept("sizes", held.digest(spec.data, spec.roles, spec.groups, spec.split), str(held.home()),
                 lambda: size_table(held.dataset(spec), held.groups(spec), held.splits(spec)))


def class_groups(spec: StudySpec) -> pd.DataFrame:
    """Class shares of every group: see core.data.profile.class_group_table."""
    return _kept("classes", held.digest(spec.data, spec.roles, spec.groups), str(held.home()),
                 lambda: profile.class_group_table(held.dataset(spec), held.groups(spec)))


def missing(spec: StudySpec) -> pd.DataFrame:
    """Missing values by group: see core.data.profile.missing_table."""
    return _kept("missing", held.digest(spec.data, spec.roles, spec.groups), str(held.home()),
                 lambda: profile.missing_table(held.dataset(spec), held.groups(spec)))


@st.cache_resource(show_spinner="Looking at the table …", max_entries=120)
def _kept(what: str, key: str, folder: str, _make: Callable[[], Any]) -> Any:
    return _make()
