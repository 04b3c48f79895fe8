from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.checks.store import example_history, example_runs, example_scores
from core.jobs.arrays import check_arrays
from core.store.artefacts import save_history, save_scores, save_tensors
from core.types import BadInput

RUNS = [replace(run, state="finished" if run.position else "diverged") for run in example_runs("s", "j")]


@pytest.fixture
def folder(home):
    place = home / "j-0"
    save_history(place, example_history())
    for split in ("val", "test"):
        save_scores(place, split, example_scores())
    save_tensors(place, "weights", {"w": torch.ones(3, 2)})
    return home


def test_arrays_as_they_were_written_pass(folder):
    check_arrays(folder, RUNS)
    check_arrays(folder, [])


def test_runs_that_were_never_measured_need_no_arrays(home):
    check_arrays(home, [replace(run, state="interrupted") for run in RUNS])
    with pytest.raises(BadInput, match="finished runs without their measurements"):
        check_arrays(home, RUNS)


def test_runs_must_be_numbered_without_gaps(folder):
    with pytest.raises(BadInput, match="gaps"):
        check_arrays(folder, [RUNS[0], RUNS[2]])


def test_all_cohorts_measure_the_same_groups(folder):
    three = example_history()
    save_history(folder / "j-1", replace(
        three, counts=np.zeros((2, 3, 3, 3, 2, 2)), loss=np.zeros((2, 3, 3, 2, 3)), n=np.ones((3, 2, 3)),
        n_effective=np.ones((3, 2, 3))))
    other = [replace(run, cohort="j-1", state="cancelled") for run in RUNS]
    with pytest.raises(BadInput, match="different numbers of classes or groups"):
        check_arrays(folder, RUNS + other)


HISTORY = example_history()
SCORES = example_scores()


@pytest.mark.parametrize(("change", "word"), [
    ({"counts": HISTORY.counts.astype(np.float32)}, "counts of type float32"),
    ({"counts": np.where(np.isnan(HISTORY.counts), -1.0, HISTORY.counts)}, "values of counts"),
    ({"counts": np.full_like(HISTORY.counts, np.inf)}, "values of counts"),
    ({"loss": HISTORY.loss - 5}, "values of loss"), ({"iteration": np.array([2, 1])}, "values of iteration"),
    ({"state": np.full(3, 99, np.int8)}, "values of state"), ({"diverged_at": np.full(3, -7)}, "values of diverged_at"),
    ({"n": np.full((3, 2, 2), np.nan)}, "values of n"), ({"n_effective": -np.ones((3, 2, 2))}, "values of n_effective"),
])
def test_impossible_measurements_are_refused(folder, change, word):
    save_history(folder / "j-0", replace(HISTORY, **change))
    with pytest.raises(BadInput, match=word):
        check_arrays(folder, RUNS)


@pytest.mark.parametrize(("change", "word"), [
    ({"score": SCORES.score.astype(np.float64)}, "score of type float64"),
    ({"score": SCORES.score + 1}, "values of score"),
    ({"y": SCORES.y + 1}, "values of y"), ({"attr": SCORES.attr - 1}, "values of attr"),
    ({"w": -SCORES.w}, "values of w"), ({"rows": SCORES.rows - 1}, "values of rows"),
    ({"thresholds": np.full((3, 5), 0.5)}, "scores of shape"),
    ({"score": np.stack([SCORES.score] * 3, -1)}, "scores of shape"),
])
def test_impossible_scores_are_refused(folder, change, word):
    save_scores(folder / "j-0", "test", replace(SCORES, **change))
    with pytest.raises(BadInput, match=word):
        check_arrays(folder, RUNS)


@pytest.mark.parametrize("change", [
    lambda folder: save_history(folder / "j-0", replace(HISTORY, counts=np.full_like(HISTORY.counts, np.nan))),
    lambda folder: save_scores(folder / "j-0", "val", replace(SCORES, score=np.full_like(SCORES.score, np.nan))),
])
def test_runs_without_numbers_may_be_diverged_but_not_finished(folder, change):
    change(folder)
    with pytest.raises(BadInput, match="called finished whose counts or scores are not numbers in j-0"):
        check_arrays(folder, RUNS)
    check_arrays(folder, [replace(run, state="diverged") for run in RUNS])


def test_a_finished_run_was_evaluated_at_least_once(folder):
    save_history(folder / "j-0", replace(HISTORY, counts=HISTORY.counts[:0], loss=HISTORY.loss[:0],
                                         iteration=HISTORY.iteration[:0]))
    with pytest.raises(BadInput, match="finished runs without their measurements"):
        check_arrays(folder, RUNS)


def test_a_finished_run_may_lack_what_only_its_training_part_would_tell(folder):
    counts = HISTORY.counts.copy()
    counts[:, 0] = np.nan
    save_history(folder / "j-0", replace(HISTORY, counts=counts))
    check_arrays(folder, RUNS)


def test_a_history_of_other_runs_is_refused(folder):
    save_history(folder / "j-0", example_history(runs=2))
    with pytest.raises(BadInput, match="for 3 runs"):
        check_arrays(folder, RUNS)


@pytest.mark.parametrize("weights", [{"w": torch.ones(2, 2)}, {"w": torch.ones(3), "v": torch.ones(1)},
                                     {"w": torch.tensor(1.0)}, {"w": torch.ones(3, dtype=torch.int64)}])
def test_weights_of_other_models_are_refused(folder, weights):
    save_tensors(folder / "j-0", "weights", weights)
    with pytest.raises(BadInput, match="weights that do not fit"):
        check_arrays(folder, RUNS)
