"""What was measured, read from the store: runs, histories, scores, paired worlds; each read once until it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from core import registry
from core.inference import bootstrap_runs
from core.store.base import StoreError
from core.types import History, RunRecord, Scores
from pages._ui import state
from pages._ui.text import plain

SETTLED = ("finished", "diverged", "failed")
DRAWS = 500
MOST_PAIRED = 300  # runs; beyond that worlds are drawn from counts, not from rows


def runs(study: str) -> list[RunRecord]:
    """All runs of the study, in the order they were planned; the same work done twice is told once."""
    return _runs(str(state.home()), study, state.store().version(study))


def histories(study: str, found: Sequence[RunRecord]) -> dict[str, History]:
    """Cohort -> what was measured, for the cohorts of these runs that have been measured at all."""
    moving = {run.cohort for run in found if run.state not in SETTLED}
    token = state.store().version(study)
    read: dict[str, History] = {}
    for cohort in {run.cohort: 0 for run in found}:
        try:
            history = _history(str(state.home()), cohort, token if cohort in moving else "")
        except StoreError as damaged:  # the others are shown all the same
            st.warning(plain(damaged, 400))
            continue
        if history is not None:
            read[cohort] = history
    return read


def scores(found: Sequence[RunRecord], split: str) -> Scores | None:
    """Final scores of runs of one setting, seeds on the first axis; None where one of them has none yet.

    Runs of a setting lie in one cohort, so their rows are the same.
    """
    if not found or any(run.state != "finished" or run.cohort != found[0].cohort for run in found):
        return None
    return cohort_scores(found[0].cohort, split, tuple(run.position for run in found))


def cohort_scores(cohort: str, split: str, positions: tuple[int, ...]) -> Scores | None:
    """Final scores of some runs of a finished cohort; None where they cannot be read, and the screen says why."""
    try:
        return _scores(str(state.home()), cohort, split, positions)
    except StoreError as damaged:
        st.warning(plain(damaged, 400))
        return None


def worlds(found: Sequence[RunRecord], split: str) -> Mapping[str, np.ndarray] | None:
    """Cohort -> counts in DRAWS paired worlds, where every run is settled and there are not too many; else None."""
    cohorts = {run.cohort: 0 for run in found}
    if len(found) > MOST_PAIRED or split == "train" or any(run.state not in SETTLED for run in found):
        return None
    try:
        drawn = {cohort: _worlds(str(state.home()), cohort, split) for cohort in cohorts}
    except StoreError:  # unpaired intervals then; `histories` tells what is damaged
        return None
    return drawn if all(table is not None for table in drawn.values()) else None


def titles() -> Mapping[str, str]:
    """Method -> title."""
    return {name: method.title for name, method in registry.methods().items()}


@st.cache_resource(show_spinner=False, max_entries=8)
def _runs(folder: str, study: str, version: str) -> list[RunRecord]:
    kept: dict[str, RunRecord] = {}
    for run in state.store().runs(study):
        before = kept.get(run.key)
        if before is None or before.state != "finished" or run.state == "finished":
            kept[run.key] = run
    return list(kept.values())


@st.cache_resource(show_spinner=False, max_entries=300)
def _history(folder: str, cohort: str, version: str) -> History | None:
    return state.store().history(cohort)


@st.cache_resource(show_spinner=False, max_entries=60)
def _scores(folder: str, cohort: str, split: str, positions: tuple[int, ...]) -> Scores | None:
    return state.store().scores(cohort, split, positions)


@st.cache_resource(show_spinner="Drawing the rows again …", max_entries=100)
def _worlds(folder: str, cohort: str, split: str) -> np.ndarray | None:
    found = state.store().scores(cohort, split)
    return None if found is None else bootstrap_runs(found, DRAWS, np.random.default_rng(0))


def together(parts: Sequence[Scores]) -> Scores:
    """Scores of several runs on the same rows as one table of runs (seeds and methods of a study share their rows)."""
    first = parts[0]
    return Scores(np.concatenate([p.score for p in parts]), np.concatenate([p.thresholds for p in parts]),
                  first.y, first.attr, first.w, first.rows)
