from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.over_sampling import RandomOverSampler
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from

METHOD = registry.method("random_over")


def imbalanced():
    task = make_task(900)
    return replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))


def made(task, ratio=1.0, shrinkage=0.0, by="class"):
    hp = {"ratio": ratio, "shrinkage": shrinkage, "by": by}
    return METHOD.prepare(task, hp, np.random.default_rng(0))


def test_exact_repeats_are_training_rows_and_those_of_imbalanced_learn():
    task = imbalanced()
    train = task.splits.train
    theirs = RandomOverSampler(random_state=seed_from(np.random.default_rng(0)))
    theirs.fit_resample(task.x[train], task.y[train])
    rows = made(task)
    assert np.array_equal(rows.index, train[theirs.sample_indices_]) and rows.x is None
    assert len(set(np.bincount(task.y[rows.index]))) == 1


@pytest.mark.parametrize("ratio", [0.2, 0.5, 0.9])
def test_small_classes_reach_the_ratio(ratio):
    task = imbalanced()
    n = np.bincount(task.y[task.splits.train])
    after = np.bincount(task.y[made(task, ratio).index])
    assert after.tolist() == [n[0], max(n[1], round(ratio * n[0]))]


def test_subgroups_become_equal():
    task = make_task()
    assert len(set(np.bincount(task.subgroup[made(task, by="group").index]))) == 1


def test_noise_makes_new_rows_around_their_own_row_and_grows_with_the_setting():
    task = replace(imbalanced(), w=np.where(imbalanced().attr == 1, 0.5, 1.5).astype(np.float32))
    train = task.splits.train
    theirs = RandomOverSampler(random_state=seed_from(np.random.default_rng(0)), shrinkage=0.5)
    x, _ = theirs.fit_resample(task.x[train], task.y[train])
    near, far = made(task, shrinkage=0.5), made(task, shrinkage=1.0)
    base = train[theirs.sample_indices_[len(train) :]]
    assert np.array_equal(near.x, x[len(train) :].astype(np.float32)) and np.array_equal(near.attr, task.attr[base])
    assert np.allclose(far.x - task.x[base], 2 * (near.x - task.x[base]), atol=1e-5)
    assert np.ptp(near.weight[len(train) :] / task.w[base]) < 1e-6


def test_repeats_keep_the_weight_of_their_row_and_the_mean_is_one():
    task = replace(imbalanced(), w=np.where(imbalanced().y == 1, 0.2, 1.2).astype(np.float32))
    rows = made(task)
    final = task.w[rows.index] * rows.weight
    assert final.mean() == pytest.approx(1) and final.max() / final.min() == pytest.approx(6)
