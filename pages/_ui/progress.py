"""Training jobs as they run: bars, time left, what became of the runs, cancel, resume, log.

A page has one fragment that polls, and only while a job of the open study is alive; `live` is that fragment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.types import BadInput, JobSnapshot
from pages._ui import nav, state
from pages._ui.text import ago, count, duration, percent, plain

POLL = 1.0
LOG_LINES = 30
STATES = {
    "queued": "waiting for its turn", "preparing": "preparing the table", "running": "training",
    "finished": "finished", "failed": "failed", "cancelled": "cancelled", "interrupted": "interrupted",
}


def snapshots(study: str) -> list[JobSnapshot]:
    """The study's jobs, newest first, live ones as they are this moment."""
    found = [state.jobs().snapshot(job.id) if job.live else job for job in state.store().jobs(study)]
    return sorted(found, key=lambda job: job.created, reverse=True)


def live(study: str, render: Callable[..., Any], *args: Any) -> None:
    """Show `render(*args)` as the page's one fragment. It polls while the study trains, and the last poll reruns the
    whole page, which ends the polling."""
    running = any(job.live for job in snapshots(study))

    def body() -> None:
        render(*args)
        if running and not any(job.live for job in snapshots(study)):
            st.rerun()

    st.fragment(body, run_every=POLL if running else None)()


def strip(study: str) -> None:
    """One line about a training in progress; nothing where none is."""
    running = [job for job in snapshots(study) if job.live]
    if running:
        st.progress(running[-1].share, text=" · ".join(capital(sentence(job)) for job in running))


def panel(study: str) -> None:
    """All jobs of the study: the live ones and the newest open, older ones behind one click."""
    found = snapshots(study)
    shown = [job for k, job in enumerate(found) if job.live or k == 0]
    for job in shown:
        _job(job)
    others = len([job for job in state.jobs().live() if job.study != study])
    if others and any(job.state == "queued" for job in shown):
        st.caption(f"{count(others, 'job')} of other studies share this queue; jobs run one after another.")
    rest = [job for job in found if job not in shown]
    if rest:
        with st.expander(count(len(rest), "earlier job"), key="jobs-earlier"):
            for job in rest:
                _job(job)


def sentence(job: JobSnapshot) -> str:
    """ "training 27 runs: 42 %, 1 min 5 s left", escaped."""
    words = STATES.get(job.state, job.state)
    runs = f" {count(job.n_runs, 'run')}" if job.n_runs else ""
    if job.state != "running":
        return f"{words}{':' + runs if runs else ''}"
    left = f", {duration(job.seconds_left)} left" if job.seconds_left is not None else ""
    return f"{words}{runs}: {percent(job.share, 0)}{left}"


def capital(words: str) -> str:
    """The same words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def outcome(job: JobSnapshot) -> str:
    """ "12 of 27 runs finished, 1 diverged"."""
    parts = [f"{job.finished:,} of {count(job.n_runs, 'run')} finished"]
    parts += [f"{n:,} {word}" for n, word in ((job.diverged, "diverged"), (job.failed, "failed")) if n]
    return ", ".join(parts)


def _job(job: JobSnapshot) -> None:
    with st.container(border=True, key=f"job-{job.id}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(gap=None):
                st.markdown(f"**{capital(sentence(job))}**")
                st.caption(" · ".join(_facts(job)))
            _buttons(job)
        if job.live:
            st.progress(job.share, text=None)
        if job.message and job.state in ("failed", "interrupted", "running", "preparing"):
            (st.error if job.state == "failed" else st.caption)(plain(job.message, 400))
        if job.log:
            with st.expander("Log", key=f"log-{job.id}"):
                st.code("\n".join(job.log[-LOG_LINES:]), language=None, wrap_lines=True)


def _facts(job: JobSnapshot) -> list[str]:
    facts = [outcome(job)] if job.n_runs else []
    if job.device:
        facts.append(plain(job.device))
    if job.ended and job.started:
        facts.append(f"took {duration(job.ended - job.started)}, ended {ago(job.ended)}")
    elif job.started:
        facts.append(f"started {ago(job.started)}")
    elif job.created:
        facts.append(f"asked for {ago(job.created)}")
    return facts


def _buttons(job: JobSnapshot) -> None:
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", width="content"):
        if job.live:
            st.button("Cancel", key=f"cancel:{job.id}", on_click=_cancel, args=(job.id,),
                      help="Stops within two seconds; what was measured so far is kept.")
        elif job.state in ("interrupted", "cancelled") and st.button(
                "Resume", key=f"resume:{job.id}", help="Goes on from the last checkpoint."):
            _resume(job.id)
        if job.n_runs:
            nav.link("tradeoffs", "Watch the front" if job.live else "See the front")


def _cancel(job: str) -> None:
    state.jobs().cancel(job)


def _resume(job: str) -> None:
    try:
        state.jobs().resume(job)
    except BadInput as refused:
        st.error(plain(refused, 400))
    else:
        st.rerun()
