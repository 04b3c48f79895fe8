from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.under_sampling import RandomUnderSampler
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from

METHOD = registry.method("random_under")


def imbalanced():
    task = make_task(900)
    return replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))


def made(task, ratio=1.0, by="class"):
    return METHOD.prepare(task, {"ratio": ratio, "by": by}, np.random.default_rng(0))


def test_the_rows_left_are_those_of_imbalanced_learn():
    task = imbalanced()
    train = task.splits.train
    theirs = RandomUnderSampler(random_state=seed_from(np.random.default_rng(0)))
    theirs.fit_resample(task.x[train], task.y[train])
    assert np.array_equal(made(task).index, train[np.sort(theirs.sample_indices_)])


@pytest.mark.parametrize("ratio", [0.25, 0.5, 1.0])
def test_large_classes_shrink_to_the_smallest_over_the_ratio(ratio):
    task = imbalanced()
    n = np.bincount(task.y[task.splits.train])
    assert np.bincount(task.y[made(task, ratio).index]).tolist() == [round(n[1] / ratio), n[1]]


def test_a_ratio_that_is_reached_already_drops_nothing():
    assert made(imbalanced(), 0.05).index is None


def test_at_balance_it_keeps_as_many_as_subsampling_does():
    task = make_task()
    for by, name in (("class", "suby"), ("group", "subg")):
        theirs = registry.method(name).prepare(task, {}, np.random.default_rng(0))
        cells = task.y if by == "class" else task.subgroup
        mine = made(task, by=by).index
        assert np.bincount(cells[mine]).tolist() == np.bincount(cells[theirs.index]).tolist()
        assert len(np.unique(mine)) == len(mine)


def test_rows_keep_their_weight_and_the_mean_is_one():
    task = make_task(weighted=True)
    rows = made(task, by="group")
    final = task.w[rows.index] * rows.weight
    assert final.mean() == pytest.approx(1, abs=1e-6) and np.ptp(final / task.w[rows.index]) < 1e-6
