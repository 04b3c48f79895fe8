"""Runs and histories -> plain arrays and words, for every figure that shows many runs.

Shapes: R runs, M settings, S seeds, C classes, A attribute groups, P splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.types import RUN_STATES, SPLITS, BadInput, History, Method, RunRecord

LIVE_FIRST = ("running", "queued", "interrupted", "cancelled", "failed", "finished", "diverged")
STANDARD = {"lr": "learning rate", "weight_decay": "weight decay"}


@dataclass(frozen=True)
class Gathered:
    """One evaluation of R runs: counts (R, A, C, C), n and n_effective (R, C, A), state (R,) words,
    iteration (R,) int64, -1 where nothing has been measured."""

    counts: np.ndarray
    n: np.ndarray
    n_effective: np.ndarray
    state: list[str]
    iteration: np.ndarray


def split_index(split: str) -> int:
    """Place of a split on the P axis."""
    if split not in SPLITS:
        raise BadInput("Split", repr(split), "one of " + ", ".join(SPLITS), "use test")
    return SPLITS.index(split)


def gather(runs: Sequence[RunRecord], histories: Mapping[str, History], split: str, at: str | int,
           n_classes: int, n_attrs: int) -> Gathered:
    """The evaluation `at` ("last", or a number that is cut to those there are) of every run; NaN before the first."""
    p, size = split_index(split), len(runs)
    counts = np.full((size, n_attrs, n_classes, n_classes), np.nan)
    n, effective = np.zeros((2, size, n_classes, n_attrs))
    iteration, state = np.full(size, -1, dtype=np.int64), [run.state for run in runs]
    for cohort, where in by_cohort(runs).items():
        history = histories.get(cohort)
        if history is None or not len(history.iteration):
            continue
        last = len(history.iteration) - 1
        e = last if at == "last" else min(int(at), last)
        position = [runs[i].position for i in where]
        counts[where] = history.counts[e, p, position]
        n[where], effective[where] = history.n[p], history.n_effective[p]
        iteration[where] = history.iteration[e]
        for i in where:
            if runs[i].state in ("queued", "running"):  # the history is fresher than the record
                state[i] = RUN_STATES[int(history.state[runs[i].position])]
    return Gathered(counts, n, effective, state, iteration)


def by_cohort(runs: Sequence[RunRecord]) -> dict[str, list[int]]:
    """Cohort -> numbers of its runs."""
    found: dict[str, list[int]] = {}
    for i, run in enumerate(runs):
        found.setdefault(run.cohort, []).append(i)
    return found


def by_setting(runs: Sequence[RunRecord]) -> dict[str, list[int]]:
    """Setting key -> numbers of the runs that differ by seed alone, in order of first appearance."""
    found: dict[str, list[int]] = {}
    for i, run in enumerate(runs):
        found.setdefault(run.setting_key, []).append(i)
    return found


def spread_seeds(values: np.ndarray, settings: Mapping[str, list[int]]) -> np.ndarray:
    """Values (..., R) -> (..., M, S), NaN where a setting has fewer seeds than the others."""
    most = max((len(where) for where in settings.values()), default=0)
    packed = np.full((*values.shape[:-1], len(settings), most), np.nan)
    for m, where in enumerate(settings.values()):
        packed[..., m, : len(where)] = values[..., where]
    return packed


def joint_state(states: Sequence[str]) -> str:
    """One word for the runs of a setting: what still moves first, "diverged" only where all are."""
    return min(states, key=LIVE_FIRST.index)


def method_title(name: str, methods: Mapping[str, Method]) -> str:
    """The method's title, or its name in words where it is not known."""
    return methods[name].title if name in methods else name.replace("_", " ").capitalize()


def setting_words(runs: Sequence[RunRecord], methods: Mapping[str, Method]) -> dict[str, str]:
    """Setting key -> what sets it apart, "η = 0.01, learning rate = 0.001".

    Shown are the settings that vary among the given runs of the method, and those away from their default; a saved
    rule shows its note. Settings at their defaults alone read "default settings".
    """
    values: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        for name, value in run.settings.items():
            values.setdefault((run.method, name), set()).add(repr(value))
    several_nets = len({run.net for run in runs}) > 1
    words: dict[str, str] = {}
    for run in runs:
        if run.setting_key in words:
            continue
        params = {p.name: p for p in methods[run.method].params} if run.method in methods else {}
        parts = [run.note or "chosen thresholds"] if run.parent else []
        for name, value in run.settings.items():
            varies = len(values[run.method, name]) > 1
            unusual = name in params and value != params[name].default
            if varies or unusual:
                known = params[name].symbol or params[name].label.lower() if name in params else ""
                shown = known or STANDARD.get(name, name.replace("_", " "))
                parts.append(f"{shown} = {_number(value)}")
        if several_nets:
            parts.append(run.net)
        words[run.setting_key] = ", ".join(parts) or "default settings"
    return words


def _number(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)
