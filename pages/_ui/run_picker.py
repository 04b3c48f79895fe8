"""Which model: a setting (its seeds together) or one run, named in words and held in the address as ?run=."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core import registry
from core.figures.gather import by_setting, method_title, setting_words
from core.store.base import StudyRow
from core.types import BadInput, RunRecord, Task
from pages._ui import empty, nav, progress, query, state
from pages._ui.text import clean, plain

RUN = "run"


def require_task(row: StudyRow) -> Task:
    """The study's encoded task; where there is none the page says why, offers what mends it, and stops."""
    if row.spec.roles is not None and row.spec.roles.task == "regression":
        empty.empty("Models are trained on classes so far", "The label of this study is a number. The Train page makes "
                    "two classes of it with one click.", "See how", nav.go, "train", key="number")
        st.stop()
    try:
        return state.task(row.spec)
    except BadInput as refused:
        st.error(plain(refused, 400))
        nav.link("data", "Correct the roles on the Data page")
        st.stop()


def settings(found: Sequence[RunRecord]) -> dict[str, list[RunRecord]]:
    """First run's key -> the runs of a setting, in the order they were planned."""
    return {found[where[0]].key: [found[i] for i in where] for where in by_setting(found).values()}


def names(found: Sequence[RunRecord]) -> dict[str, str]:
    """Run key -> "Group DRO, η = 0.1" (without the seed), not escaped."""
    methods = registry.methods()
    words = setting_words(found, methods)
    return {run.key: clean(f"{method_title(run.method, methods)}, {words[run.setting_key]}", 160) for run in found}


def spoken(found: Sequence[RunRecord], run: RunRecord) -> str:
    """ "Group DRO (η = 0.1)", or the title alone at default settings; not escaped."""
    title, words = method_title(run.method, registry.methods()), setting_words(found, registry.methods())
    settings_ = words[run.setting_key]
    return clean(title if settings_ == "default settings" else f"{title} ({settings_})", 160)


def first_of(found: Sequence[RunRecord], key: str) -> str:
    """Key of the first run of the setting that the run `key` belongs to; "" where there is none."""
    for first, runs in settings(found).items():
        if any(run.key == key for run in runs):
            return first
    return ""


def pick_setting(label: str, found: Sequence[RunRecord], default: str, *, none: str = "", **more: object) -> str:
    """A select box over settings; returns the first run's key. `none`: words of an empty choice, offered first."""
    options = ([""] if none else []) + list(settings(found))
    known, held = names(found), query.held(RUN, None, default)
    if held not in options:
        query.put(RUN, first_of(found, held) or default)
    return query.choice(RUN, label, options, words=lambda k: known.get(k, none), default=default, pin=True, **more)


def pick_run(label: str, found: Sequence[RunRecord], default: str, **more: object) -> str:
    """A select box over single runs; returns the run's key."""
    known, seeds = names(found), {run.key: run.seed for run in found}
    return query.choice(RUN, label, list(seeds), default=default, pin=True,
                        words=lambda k: f"{known[k]}, seed {seeds[k]}", **more)


def nothing_yet(study: str, what: str) -> None:
    """The page has no runs to show: say so, or show the training that will bring them, and stop."""
    jobs = [job for job in progress.snapshots(study) if job.live]
    if not jobs:
        empty.empty("Nothing has been trained yet", f"{what} appear here as soon as the first models are measured.",
                    "Choose what to try", nav.go, "train", key="runs")
        st.stop()
