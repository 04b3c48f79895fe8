from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.checks.store import example_history, example_runs, example_scores
from core.counts import count_confusion
from core.jobs.rules import save_rule
from core.types import BadInput


@pytest.fixture
def run(store, study, training):
    """A finished run at position 1 of three, with scores of 7 rows."""
    job = store.add_job(study, training())
    store.add_runs(example_runs(study, job))
    cohort = f"{job}-0"
    store.put_history(cohort, example_history(evaluations=3))
    for split in ("val", "test"):
        store.put_scores(cohort, split, example_scores())
    store.set_run_states(cohort, [(1, "finished", "")])
    return store.runs(study)[1]


def test_the_rule_is_counted_as_score_at_least_the_threshold_of_the_group(store, study, run):
    saved = save_rule(store, run, np.array([0.5, 0.4]), "Fewer  refusals")
    scores = example_scores()
    wanted = count_confusion((scores.score[1] >= np.where(scores.attr == 0, 0.5, 0.4)).astype(int), scores.y,
                             scores.attr, 2, 2)
    history = store.history(saved.cohort)
    assert np.array_equal(history.counts[0, 1, 0], wanted) and np.array_equal(history.counts[0, 2, 0], wanted)
    assert np.isnan(history.counts[0, 0]).all() and history.iteration.tolist() == [3]
    assert np.array_equal(history.loss, example_history(evaluations=3).loss[-1:, :, [1]], equal_nan=True)
    kept = store.scores(saved.cohort, "test")
    assert kept.thresholds.tolist() == [[0.5, 0.4]] and np.array_equal(kept.score, scores.score[[1]])
    assert (saved.parent, saved.note, saved.state, saved.position) == (run.key, "Fewer refusals", "finished", 0)
    assert saved in store.runs(study) and saved.setting_key != run.setting_key and saved.key != run.key


def test_the_same_rule_is_kept_once_and_another_one_beside_it(store, study, run):
    first = save_rule(store, run, np.array([0.5, 0.4]), "one")
    assert save_rule(store, run, np.array([0.5, 0.4]), "two") == first
    nobody = save_rule(store, run, np.array([np.inf, 0.0]), "")
    assert nobody.key != first.key and nobody.note == "Chosen thresholds" and len(store.runs(study)) == 5
    counts = store.history(nobody.cohort).counts[0, 2, 0]
    assert counts[0, :, 1].sum() == 0 and counts[1, :, 0].sum() == 0


def test_a_rule_of_a_rule_uses_the_same_scores(store, run):
    first = save_rule(store, run, np.array([0.5, 0.4]), "one")
    second = save_rule(store, first, np.array([0.1, 0.1]), "two")
    assert second.parent == first.key
    assert np.array_equal(store.scores(second.cohort, "val").score, store.scores(first.cohort, "val").score)


@pytest.mark.parametrize("wrong", [np.array([0.5]), np.array([0.5, np.nan]), np.zeros((2, 1))])
def test_thresholds_that_fit_no_group_are_refused(store, study, run, wrong):
    with pytest.raises(BadInput, match="^Thresholds: "):
        save_rule(store, run, wrong, "x")
    assert len(store.runs(study)) == 3


def test_runs_without_usable_scores_are_refused(store, study, run, training):
    job = store.add_job(study, training())
    waiting = replace(run, job=job, cohort=f"{job}-0", state="running")
    store.add_runs([waiting])
    with pytest.raises(BadInput, match="^Run: found one that is running"):
        save_rule(store, waiting, np.array([0.5, 0.5]), "x")
    scores = example_scores()
    store.put_scores(run.cohort, "val", replace(scores, score=np.full_like(scores.score, np.nan)))
    with pytest.raises(BadInput, match="diverged"):
        save_rule(store, run, np.array([0.5, 0.5]), "x")
    store.put_scores(run.cohort, "val", replace(scores, score=np.stack([scores.score] * 3, -1)))
    with pytest.raises(BadInput, match="3 classes"):
        save_rule(store, run, np.array([0.5, 0.5]), "x")
