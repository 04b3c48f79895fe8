"""Keeping what a form says: at once while nothing was trained, as a new study afterwards."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.store.base import StudyRow
from core.types import StudySpec
from pages._ui import state
from pages._ui.text import count


def trained(row: StudyRow) -> bool:
    """Whether the study has runs, or a job that will make some."""
    return bool(state.n_runs(row.id)) or any(job.live for job in state.store().jobs(row.id))


def settle(row: StudyRow, spec: StudySpec, form: str, *said: object) -> None:
    """Save `spec` where the person changed it on this screen.

    A form is compared with what it said when it was first shown in this session, so that a window left open elsewhere
    never writes its old words back.

    Args:
        row: the study as stored.
        spec: the study as the form says.
        form: the form's name, one a screen.
        said: the parts of the spec that this form asks for.
    """
    key, now = f"{row.id}:{form}:said", state.digest(said)
    before = st.session_state.setdefault(key, now)
    if now == before:
        return
    if trained(row):
        if state.digest(spec) != state.digest(row.spec):
            _offer_copy(row, spec, form)
    else:
        st.session_state[key] = now
        state.save(row.id, replace(spec, name=row.name))
        st.rerun()


def _offer_copy(row: StudyRow, spec: StudySpec, form: str) -> None:
    with st.container(border=True, key=f"copy-{form}"):
        st.write(f"The {count(state.n_runs(row.id), 'run')} of this study belong to the earlier data and groups, "
                 "so the change is not written into it.")
        if st.button("Save as a new study", type="primary", key=f"{row.id}:{form}:copy",
                     help="Keeps this study as it is and opens a copy with the change, without runs."):
            state.create(replace(spec, name=row.name, trainings=()))
            st.rerun()
