"""A chosen decision rule becomes a run of its own: a new point on the front, measured on the scores its model has."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import replace

import numpy as np

from core.counts import count_confusion, predict
from core.store.base import Store
from core.types import RUN_STATES, SPLITS, BadInput, History, RunRecord, Scores

NOTE_LIMIT = 300


def save_rule(store: Store, run: RunRecord, thresholds: np.ndarray, title: str) -> RunRecord:
    """Keep "positive where score >= thresholds[group]" on the scores of a finished run as a new run.

    The new run has one evaluation, at the last iteration of `run`, with counts on validation and test rows. Training
    rows are NaN: no scores are kept for them. The same rule on the same run is kept once.

    Args:
        run: the run whose scores are used.
        thresholds: (A,) one a group; inf selects nobody, 0 everybody.
        title: what people call the rule; it becomes the note.
    Raises:
        BadInput: more than two classes, a wrong number of thresholds, NaN, or a run without scores.
    """
    found = {split: store.scores(run.cohort, split, [run.position]) for split in ("val", "test")}
    scores = {split: part for split, part in found.items() if part is not None}
    before = store.history(run.cohort)
    if before is None or len(scores) < len(found):
        raise BadInput("Run", f"one that is {run.state}", "a finished run", "wait until its training has ended")
    chosen = _checked(thresholds, scores["val"])
    key = hashlib.sha256(f"{run.key}|{run.cohort}|{chosen.tolist()}".encode()).hexdigest()[:16]
    known = [r for r in store.runs(run.study, run.job) if r.key == key and r.parent == run.key]
    if known:
        return known[0]
    note = " ".join(title.split())[:NOTE_LIMIT] or "Chosen thresholds"
    cohort = f"{run.job}-rule-{secrets.token_hex(6)}"
    saved = replace(run, key=key, cohort=cohort, position=0, parent=run.key, note=note, state="finished")
    counted = {split: _count(part, chosen, before.counts.shape[-1]) for split, part in scores.items()}
    store.add_runs([replace(saved, state="running")])
    for split, part in scores.items():
        store.put_scores(cohort, split, replace(part, thresholds=chosen[None]))
    store.put_history(cohort, _history(before, run.position, counted))
    store.set_run_states(cohort, [(0, "finished", note)])
    return saved


def _checked(thresholds: np.ndarray, scores: Scores) -> np.ndarray:
    """(A,) float64, or BadInput."""
    given = np.asarray(thresholds, dtype=np.float64)
    n_attrs = scores.thresholds.shape[1]
    if scores.score.ndim != 2:
        raise BadInput("Decision rule", f"{scores.score.shape[-1]} classes", "two classes",
                       "thresholds need one score a person; choose a study of two classes")
    if np.isnan(scores.score).any():
        raise BadInput("Run", "one that diverged", "a run with scores for everybody", "choose another run")
    if given.shape != (n_attrs,) or np.isnan(given).any():
        raise BadInput("Thresholds", f"{given.size} values" if given.shape != (n_attrs,) else "an empty value",
                       f"{n_attrs} numbers, one a group", "give a threshold for every group")
    return given


def _count(scores: Scores, thresholds: np.ndarray, n_classes: int) -> np.ndarray:
    """(A, C, C) of one run."""
    chosen = predict(scores.score[0], thresholds, scores.attr)
    return count_confusion(chosen, scores.y, scores.attr, n_classes, len(thresholds), scores.w.astype(np.float64))


def _history(before: History, position: int, counted: dict[str, np.ndarray]) -> History:
    """One evaluation of one run. The losses stay: a rule does not change scores."""
    counts = np.full((1, len(SPLITS), 1, *before.counts.shape[3:]), np.nan)
    for split, table in counted.items():
        counts[0, SPLITS.index(split), 0] = table
    return replace(
        before,
        iteration=before.iteration[-1:],
        counts=counts,
        loss=before.loss[-1:, :, [position]],
        state=np.array([RUN_STATES.index("finished")], np.int8),
        diverged_at=np.array([-1], np.int64),
    )
