from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from filled import fill

from pages._ui import results, state


@pytest.fixture
def study(folder):
    return fill(folder)


def test_runs_histories_and_scores_are_those_of_the_store(study):
    runs = results.runs(study)
    assert len(runs) == 8 and {run.method for run in runs} == {"erm", "group_dro", "group_thresholds"}
    known = results.histories(study, runs)
    assert set(known) == {run.cohort for run in runs}
    erm = [run for run in runs if run.method == "erm"]
    scores = results.scores(erm, "test")
    assert np.array_equal(scores.score, state.store().scores(erm[0].cohort, "test", [0, 1]).score)


def test_the_same_work_done_twice_is_told_once_and_the_finished_one_wins(study):
    runs, store = results.runs(study), state.store()
    again = [replace(run, job="again", cohort=f"again-{run.cohort}", state="running") for run in runs[:2]]
    store.add_runs(again)
    assert [run.cohort for run in results.runs(study)] == [run.cohort for run in runs]
    for run in again:
        store.set_run_states(run.cohort, [(run.position, "finished", "")])
    assert [run.job for run in results.runs(study)[:2]] == ["again", "again"]


def test_scores_and_worlds_wait_for_the_end_of_training(study):
    runs = results.runs(study)
    moving = [replace(runs[0], state="running"), *runs[1:]]
    assert results.scores(moving[:1], "test") is None and results.worlds(moving, "test") is None
    assert results.scores([], "test") is None and results.worlds(runs, "train") is None


def test_worlds_are_paired_draws_of_the_counts(study):
    runs = results.runs(study)
    worlds = results.worlds(runs, "test")
    run = runs[0]
    counted = results.histories(study, runs)[run.cohort].counts[-1, 2, run.position]
    drawn = worlds[run.cohort][:, run.position]
    assert drawn.shape[0] == results.DRAWS
    assert np.allclose(drawn.sum((-1, -2)), counted.sum((-1, -2)))
    assert np.allclose(drawn.mean(0), counted, rtol=0.1, atol=1.5)


def test_methods_have_titles():
    assert results.titles()["group_dro"] == "Group DRO"
