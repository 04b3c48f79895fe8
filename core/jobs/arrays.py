"""Arrays that came from elsewhere: dtype, shape and values of every one, before any of them is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.store.artefacts import load_history, load_scores, load_tensors
from core.types import RUN_STATES, SPLITS, BadInput, History, RunRecord, Scores

RESULTS = ("finished", "diverged")
MOST = 1e12  # rows (or summed weights) that a cell can plausibly hold
HISTORY_TYPES = {"iteration": "int64", "counts": "float64", "loss": "float64", "state": "int8", "diverged_at": "int64",
                 "n": "float64", "n_effective": "float64"}
SCORES_TYPES = {"score": "float32", "thresholds": "float64", "y": "int64", "attr": "int64", "w": "float32",
                "rows": "int64"}


def check_arrays(folder: Path, runs: Sequence[RunRecord]) -> None:
    """Check folder/<cohort>/ for all cohorts of `runs`.

    Raises:
        BadInput: a cohort whose runs are not numbered 0, 1, 2, ..., a result without its arrays, or an array of another
            dtype or shape or with impossible values, or a run called finished whose measurements are not numbers.
    """
    by_cohort: dict[str, list[RunRecord]] = {}
    for run in runs:
        by_cohort.setdefault(run.cohort, []).append(run)
    sizes: set[tuple[int, int]] = set()
    for cohort, members in by_cohort.items():
        if sorted(run.position for run in members) != list(range(len(members))):
            raise _bad(cohort, "runs with gaps in their numbers")
        size = _check_cohort(folder / cohort, cohort, members)
        sizes |= {size} if size else set()
    if len(sizes) > 1:
        raise _bad("its runs", "different numbers of classes or groups")


def _bad(where: str, what: str) -> BadInput:
    return BadInput("Bundle", f"{what} in {where[:80]}", "arrays as they were exported", "export it again")


def _check_cohort(folder: Path, cohort: str, runs: Sequence[RunRecord]) -> tuple[int, int] | None:
    """(C, A) of the cohort, None where nothing was measured."""
    history = load_history(folder)
    scores = {split: load_scores(folder, split) for split in ("val", "test")}
    ended = any(run.state in RESULTS for run in runs)
    if history is None or None in scores.values():
        if ended:
            raise _bad(cohort, "finished runs without their measurements")
        if history is None:
            return None
    _check_history(history, cohort, len(runs))
    size = history.n.shape[1:]
    for split, found in scores.items():
        if found is not None:
            _check_scores(found, f"{cohort}/{split}", len(runs), *size)
    _check_finished(history, scores, [run.position for run in runs if run.state == "finished"], cohort)
    _check_weights(load_tensors(folder, "weights") or {}, cohort, len(runs))
    return size


def _check_finished(
    history: History, scores: Mapping[str, Scores | None], finished: list[int], where: str
) -> None:  # fmt: skip
    """A finished run has numbers for everybody; one without is "diverged", and nobody else may decide that here."""
    if not finished:
        return
    if not len(history.counts):
        raise _bad(where, "finished runs without their measurements")
    judged = history.counts[-1, [SPLITS.index(split) for split in scores]][:, finished]
    if np.isnan(judged).any() or any(np.isnan(s.score[finished]).any() for s in scores.values() if s is not None):
        raise _bad(where, "runs called finished whose counts or scores are not numbers")


def _types(record: Any, wanted: Mapping[str, str], where: str) -> None:
    for name, dtype in wanted.items():
        if str(getattr(record, name).dtype) != dtype:
            raise _bad(where, f"{name} of type {getattr(record, name).dtype}")


def _check_history(history: History, where: str, n_runs: int) -> None:
    _types(history, HISTORY_TYPES, where)
    if history.counts.shape[1:3] != (len(SPLITS), n_runs) or 0 in history.counts.shape[1:]:
        raise _bad(where, f"counts of shape {history.counts.shape} for {n_runs} runs")
    right = {
        "iteration": (history.iteration > 0).all() and (np.diff(history.iteration) > 0).all(),
        "counts": not ((history.counts < 0) | (history.counts > MOST)).any(),
        "loss": not (history.loss < -1e-6).any(),
        "state": ((history.state >= 0) & (history.state < len(RUN_STATES))).all(),
        "diverged_at": (history.diverged_at >= -1).all(),
        "n": (np.isfinite(history.n) & (history.n >= 0) & (history.n < MOST)).all(),
        "n_effective": (np.isfinite(history.n_effective) & (history.n_effective >= 0)).all(),
    }
    _all_right(right, where)


def _check_scores(scores: Scores, where: str, n_runs: int, n_classes: int, n_attrs: int) -> None:
    _types(scores, SCORES_TYPES, where)
    n = len(scores.y)
    shape = (n_runs, n) if n_classes == 2 else (n_runs, n, n_classes)
    if scores.score.shape != shape or scores.thresholds.shape != (n_runs, n_attrs):
        raise _bad(where, f"scores of shape {scores.score.shape}")
    right = {
        "score": not ((scores.score < 0) | (scores.score > 1.0001)).any(),
        "y": ((scores.y >= 0) & (scores.y < n_classes)).all(),
        "attr": ((scores.attr >= 0) & (scores.attr < n_attrs)).all(),
        "w": (np.isfinite(scores.w) & (scores.w >= 0)).all(),
        "rows": (scores.rows >= 0).all(),
    }
    _all_right(right, where)


def _check_weights(weights: Mapping[str, Any], where: str, n_runs: int) -> None:
    leading = {tensor.shape[0] if tensor.ndim else 0 for tensor in weights.values()}
    floats = all(tensor.is_floating_point() for tensor in weights.values())
    if weights and (len(leading) > 1 or not floats or 0 in leading or n_runs % min(leading)):
        raise _bad(where, "weights that do not fit the runs")


def _all_right(right: Mapping[str, Any], where: str) -> None:
    wrong = next((name for name, fine in right.items() if not fine), None)
    if wrong is not None:
        raise _bad(where, f"impossible values of {wrong}")
