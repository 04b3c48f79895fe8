"""The list of studies: open, rename, export, delete after a second question, resume what was interrupted."""

from __future__ import annotations

import json
import re
from contextlib import suppress

import streamlit as st

from core.jobs.bundle import export_bundle
from core.store.base import StudyRow
from core.study import dump_study
from core.types import BadInput, JobSnapshot
from pages._ui import nav, state
from pages._ui.bar import NAME_LIMIT, groups_in_words
from pages._ui.facts import title_of
from pages._ui.text import ago, clean, count, percent, plain

SHOWN = 5


def show() -> None:
    """The newest studies; older ones behind one click."""
    rows = sorted(state.store().studies(), key=lambda row: row.updated, reverse=True)
    for k, row in enumerate(rows[:SHOWN]):
        _one(row, newest=k == 0)
    if len(rows) > SHOWN:
        with st.expander(f"{count(len(rows) - SHOWN, 'older study', 'older studies')}", key="older"):
            for row in rows[SHOWN:]:
                _one(row)


def _one(row: StudyRow, *, newest: bool = False) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"study-{_slug(row.id)}", border=True):
        with st.container(gap=None):
            st.markdown(f"**{plain(row.name, 80)}**")
            st.caption(f"{plain(title_of(row.spec.data), 60)} · {groups_in_words(row.spec)} · "
                       f"{count(state.n_runs(row.id), 'run')} · changed {ago(row.updated)}")
            for job in state.store().jobs(row.id):
                if job.state == "interrupted":
                    _interrupted(job)
        if st.button("Open", key=f"open:{row.id}", type="primary" if newest else "secondary",
                     help="Go on with this study"):
            state.open_study(row.id)
            nav.go(_next(row))
        with st.popover("More", help="Rename, export or delete this study", key=f"more-{_slug(row.id)}"):
            _more(row)


def _next(row: StudyRow) -> str:
    """Where to go on: label missing -> Data; nothing trained -> Train; else the trade-offs."""
    if row.spec.roles is None:
        return "data"
    return "tradeoffs" if state.n_runs(row.id) else "train"


def _interrupted(job: JobSnapshot) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"A training was interrupted at {percent(job.share, 0)}.", width="content")
        if st.button("Resume", key=f"resume:{job.id}", help="Goes on from the last checkpoint."):
            try:
                state.jobs().resume(job.id)
            except BadInput as refused:
                st.error(plain(refused, 400))
            else:
                state.open_study(job.study)
                nav.go("train")


def _more(row: StudyRow) -> None:
    with st.form(f"name:{row.id}", border=False):
        typed = st.text_input("New name", row.name[:NAME_LIMIT], max_chars=NAME_LIMIT, key=f"name:{row.id}:text",
                              help="Shown in this list and in exported files.")
        if st.form_submit_button("Rename") and clean(typed or ""):
            state.store().rename_study(row.id, clean(typed, NAME_LIMIT))
            st.rerun()
    st.download_button("Export study file (.json)", lambda: study_file(row), f"{_slug(row.name)}.json",
                       "application/json", key=f"json:{row.id}", on_click="ignore",
                       help="Data, roles, groups, split and trainings: runs again here or from the command line.")
    st.download_button("Export bundle (.zip)", lambda: export_bundle(state.store(), state.home(), row.id),
                       f"{_slug(row.name)}.zip", "application/zip", key=f"zip:{row.id}", on_click="ignore",
                       help="The study file with the table, every run and its numbers.")
    sure = st.checkbox("Delete it with all its runs", key=f"sure:{row.id}", help="This cannot be undone.")
    if st.button("Delete", key=f"delete:{row.id}", disabled=not sure, help="Tick the box above first."):
        delete(row)
        st.rerun()


def delete(row: StudyRow) -> None:
    """Stop the study's jobs, then delete it; the open study is closed."""
    for job in state.store().jobs(row.id):
        if job.live:
            with suppress(BadInput):  # another program's job: it ends when it finds its study gone
                state.jobs().cancel(job.id)
    state.store().delete_study(row.id)
    if st.session_state.get(state.OPEN) == row.id:
        state.open_study("")


def study_file(row: StudyRow) -> bytes:
    """The study as its file, UTF-8 JSON."""
    return json.dumps(dump_study(row.spec), indent=2, ensure_ascii=False).encode()


def _slug(text: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]+", "-", text).strip("-") or "study"
