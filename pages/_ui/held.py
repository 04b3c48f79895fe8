"""A study's data in memory, one copy for all sessions.

Everything is held by `cache_resource` and keyed by a digest of the parts of the study it depends on, never by the
frame itself (large frames are hashed by a sample only). Treat what comes back as read-only.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.data import encode, load, profile, split
from core.data import groups as grouping
from core.data import roles as roling
from core.types import Dataset, DataSpec, Groups, Splits, StudySpec, Table, Task

ROOT = Path(__file__).resolve().parents[2]


def home() -> Path:
    """The data folder: COUNTERWEIGHT_HOME, or .counterweight beside app.py."""
    return Path(os.environ.get("COUNTERWEIGHT_HOME") or ROOT / ".counterweight").resolve()


def table(data: DataSpec) -> Table:
    """The table as read, before roles."""
    return _table(digest(data), data, str(home()))


def dataset(spec: StudySpec) -> Dataset:
    """The table with its roles. Raises BadInput where they do not fit."""
    return _dataset(digest(spec.data, spec.roles), spec, str(home()))


def groups(spec: StudySpec) -> Groups:
    """The study's attribute groups."""
    return _groups(digest(spec.data, spec.roles, spec.groups), spec, str(home()))


def splits(spec: StudySpec) -> Splits:
    """The rows of the three parts."""
    return _splits(digest(spec.data, spec.roles, spec.groups, spec.split), spec, str(home()))


def task(spec: StudySpec) -> Task:
    """The encoded task that the engine trains on."""
    return _task(digest(spec.data, spec.roles, spec.groups, spec.split), spec, str(home()))


def digest(*parts: Any) -> str:
    """A short hash of frozen parts of a study; equal parts, equal digest."""
    text = json.dumps(parts, default=_plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    return dict(value) if isinstance(value, Mapping) else str(value)


@st.cache_resource(show_spinner="Reading the table …", max_entries=4)
def _table(key: str, _data: DataSpec, folder: str) -> Table:
    return load.load_table(_data, Path(folder))


@st.cache_resource(show_spinner="Reading the table …", max_entries=6)
def _dataset(key: str, _spec: StudySpec, folder: str) -> Dataset:
    return load.load_dataset(_spec, Path(folder))


@st.cache_resource(show_spinner=False, max_entries=12)
def _groups(key: str, _spec: StudySpec, folder: str) -> Groups:
    return grouping.make_groups(dataset(_spec), _spec.groups)


@st.cache_resource(show_spinner=False, max_entries=12)
def _splits(key: str, _spec: StudySpec, folder: str) -> Splits:
    return split.make_splits(dataset(_spec), groups(_spec), _spec.split)


@st.cache_resource(show_spinner="Encoding the table …", max_entries=4)
def _task(key: str, _spec: StudySpec, folder: str) -> Task:
    return encode.make_task(dataset(_spec), groups(_spec), splits(_spec))


def guess(data: DataSpec) -> roling.Guess:
    """The guessed roles of a table, with a reason for each."""
    return _guess(digest(data), data, str(home()))


def label_values(data: DataSpec, label: str) -> list[tuple[str, int]]:
    """The values of a label column with their number of rows."""
    return _label_values(digest(data), label, data, str(home()))


def leaks(data: DataSpec, label: str) -> dict[str, str]:
    """Columns that nearly give the label away -> why."""
    return _leaks(digest(data), label, data, str(home()))


def column_facts(data: DataSpec) -> pd.DataFrame:
    """One row a column: "column", "kind", "missing" (share), and what core.data.profile adds."""
    return _column_facts(digest(data), data, str(home()))


@st.cache_resource(show_spinner="Looking at the columns …", max_entries=6)
def _guess(key: str, _data: DataSpec, folder: str) -> roling.Guess:
    return roling.guess_roles(_table(key, _data, folder).frame)


@st.cache_resource(show_spinner=False, max_entries=40)
def _label_values(key: str, label: str, _data: DataSpec, folder: str) -> list[tuple[str, int]]:
    return roling.label_values(_table(key, _data, folder).frame, label)


@st.cache_resource(show_spinner="Looking for columns that give the label away …", max_entries=40)
def _leaks(key: str, label: str, _data: DataSpec, folder: str) -> dict[str, str]:
    return roling.find_leaks(_table(key, _data, folder).frame, label)


@st.cache_resource(show_spinner=False, max_entries=12)
def _column_facts(key: str, _data: DataSpec, folder: str) -> pd.DataFrame:
    return profile.column_table(_table(key, _data, folder).frame)
