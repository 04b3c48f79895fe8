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

import streamlit as st

from core.data import encode, load, split
from core.data import groups as grouping
from core.data.roles import make_dataset
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
    if _spec.roles is None:
        return load.load_dataset(_spec, Path(folder))
    name = _spec.data.name or _spec.name
    return make_dataset(table(_spec.data), _spec.roles, name, name)  # the table is in memory already


@st.cache_resource(show_spinner=False, max_entries=12)
def _groups(key: str, _spec: StudySpec, folder: str) -> Groups:
    return grouping.make_groups(dataset(_spec), _spec.groups)


@st.cache_resource(show_spinner=False, max_entries=12)
def _splits(key: str, _spec: StudySpec, folder: str) -> Splits:
    return split.make_splits(dataset(_spec), groups(_spec), _spec.split)


@st.cache_resource(show_spinner="Encoding the table …", max_entries=4)
def _task(key: str, _spec: StudySpec, folder: str) -> Task:
    return encode.make_task(dataset(_spec), groups(_spec), splits(_spec))
