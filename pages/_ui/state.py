"""What pages share: the data folder, the store, the jobs, the open study, and its data in memory.

This is the only place that binds the engine to Streamlit and the only owner of the key "open_study".
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.jobs.queue import Jobs
from core.store.base import StudyRow
from core.store.sql import SqlStore
from core.types import BadInput, StudySpec
from pages._ui import empty
from pages._ui.held import dataset, digest, groups, home, splits, table, task

__all__ = [
    "create", "dataset", "digest", "groups", "home", "jobs", "keep_study", "n_runs", "open_study", "require_study",
    "save", "splits", "store", "study", "table", "task",
]
OPEN = "open_study"


def store() -> SqlStore:
    """The store of this data folder (COUNTERWEIGHT_DATABASE_URL for a shared database)."""
    return _store(str(home()), os.environ.get("COUNTERWEIGHT_DATABASE_URL") or None)


def jobs() -> Jobs:
    """The job queue of this data folder, one for all sessions."""
    return _jobs(str(home()), os.environ.get("COUNTERWEIGHT_DATABASE_URL") or None)


@st.cache_resource(show_spinner=False)
def _store(folder: str, url: str | None) -> SqlStore:
    Path(folder).mkdir(parents=True, exist_ok=True)
    return SqlStore(Path(folder), url)


@st.cache_resource(show_spinner=False, on_release=lambda queue: queue.shutdown())
def _jobs(folder: str, url: str | None) -> Jobs:
    return Jobs(_store(folder, url), Path(folder))


def open_study(ident: str) -> None:
    """Make this study the open one of the session and write it into the address; "" closes it."""
    st.session_state[OPEN] = ident
    if ident:
        st.query_params["study"] = ident
    else:
        st.query_params.pop("study", None)


def keep_study() -> None:
    """Mirror ?study= and the session: the shell calls this at the start of every full run."""
    asked, held = st.query_params.get("study", ""), st.session_state.get(OPEN, "")
    if asked and asked != held:
        st.session_state[OPEN] = asked
    elif held and not asked:
        st.query_params["study"] = held


def study() -> StudyRow | None:
    """The open study, or None where none is open or the link names one that is gone."""
    ident = st.session_state.get(OPEN) or st.query_params.get("study", "")
    if not ident:
        return None
    try:
        return store().study(ident)
    except (BadInput, LookupError):
        return None


def require_study(*, roles: bool = True) -> StudyRow:
    """The open study; where there is none, or (with `roles`) its label is not chosen yet, the page says so, offers
    the one click that mends it, and stops."""
    row = study()
    if row is None:
        empty.no_study()
        st.stop()
    if roles and row.spec.roles is None:
        empty.no_roles()
        st.stop()
    return row


def save(ident: str, spec: StudySpec) -> None:
    """Replace the study's spec in the store."""
    store().update_study(ident, spec)


def create(spec: StudySpec) -> str:
    """Make a new study and open it; a name that is taken gets a number ("Adult census income 2"). Returns its id."""
    taken, name, k = {row.name for row in store().studies()}, spec.name, 1
    while name in taken:
        k += 1
        name = f"{spec.name[:110]} {k}"  # a name has up to 120 characters
    ident = store().create_study(replace(spec, name=name))
    open_study(ident)
    return ident


def n_runs(ident: str) -> int:
    """How many runs the study has; counted anew only when the study changed."""
    return _n_runs(str(home()), ident, store().version(ident))


@st.cache_data(show_spinner=False, max_entries=200)
def _n_runs(folder: str, ident: str, version: str) -> int:
    return len(store().runs(ident))
