"""The study bar: the open study's name, data, groups, number of runs, running jobs and link, on every screen."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.store.base import StudyRow
from core.types import JobSnapshot, StudySpec
from pages._ui import results, state
from pages._ui.facts import title_of
from pages._ui.text import clean, count, duration, percent, plain

NAME_LIMIT = 120


def show(row: StudyRow, *, live: bool) -> DeltaGenerator:
    """One row of words about the study.

    Args:
        row: the open study.
        live: whether the bar may refresh its jobs by itself; False on screens that bring their own live part.

    Returns:
        The place of the link, for `link` to fill again when the screen has written its view into the address.
    """
    running = [job for job in state.store().jobs(row.id) if job.live]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="bar"):
        _name(row)
        st.caption(f"{plain(title_of(row.spec.data), 60)} · {groups_in_words(row.spec)} · "
                   f"{runs_in_words(row.id, bool(running))}", width="content")
        place = _link()
        if running and live:
            st.fragment(_jobs, run_every=2.0)(row.id)
        elif running:
            st.caption(f"**{count(len(running), 'job')} in progress**", width="content")
    return place


def link(place: DeltaGenerator) -> None:
    """Write the address of this view into its place."""
    place.code(f"{st.context.url or ''}?{urlencode(st.query_params.to_dict())}", language=None, wrap_lines=True)


def runs_in_words(ident: str, running: bool) -> str:
    """ "36 runs", and after a training that was cut short "9 of 36 runs finished"."""
    every = results.runs(ident)
    settled = sum(run.state in results.SETTLED for run in every)
    words = count(len(every), "run")
    return words if running or settled == len(every) else f"{settled} of {words} finished"


def groups_in_words(spec: StudySpec) -> str:
    """ "groups: sex × race", escaped; what is missing is said."""
    names = " × ".join(plain(a.column, 40) for a in spec.groups.attributes)
    return f"groups: {names}" if names else "no groups yet" if spec.roles is None else "everyone in one group"


def job_in_words(job: JobSnapshot) -> str:
    """ "training, 42 % done, 1 min 5 s left"."""
    if job.state != "running":
        return {"queued": "waiting for its turn", "preparing": "preparing the table"}.get(job.state, job.state)
    left = f", {duration(job.seconds_left)} left" if job.seconds_left is not None else ""
    return f"training, {percent(job.share, 0)} done{left}"


def _jobs(ident: str) -> None:
    """The live part: one short sentence a job; the last poll reruns the page, which ends the polling."""
    snapshots = [state.jobs().snapshot(job.id) for job in state.store().jobs(ident) if job.live]
    running = [job for job in snapshots if job.live]
    if not running:
        st.rerun()
    st.caption(" · ".join(f"**{job_in_words(job)}**" for job in running), width="content")


def _name(row: StudyRow) -> None:
    with st.popover(plain(row.name, 60), help="Rename this study", type="tertiary", key="bar-name"):
        with st.form("rename", border=False):
            typed = st.text_input("Study's name", row.name[:NAME_LIMIT], max_chars=NAME_LIMIT, key=f"rename:{row.id}",
                                  help="Shown in the list of studies and in exported files.")
            saved = st.form_submit_button("Rename", type="primary")
        if saved and not clean(typed or ""):
            st.error("Study's name: found nothing, allowed is 1 to 120 characters; type a name.")
        elif saved and clean(typed, NAME_LIMIT) != row.name:
            state.store().rename_study(row.id, clean(typed, NAME_LIMIT))
            st.rerun()


def _link() -> DeltaGenerator:
    with st.popover("Link", help="The address of exactly this view", type="tertiary", icon=":material/link:",
                    key="bar-link"):
        st.caption("Whoever opens this address on the same server sees this view.")
        place = st.empty()
    link(place)
    return place
