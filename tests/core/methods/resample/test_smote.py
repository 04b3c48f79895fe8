from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.over_sampling import SMOTE
from toys import make_task

from core import registry
from core.methods.resample.smote import between_neighbours

METHOD = registry.method("smote")


def imbalanced():
    task = make_task(900)
    y = np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y)
    return replace(task, y=y)


def test_classes_reach_the_counts_of_imbalanced_learn():
    task = imbalanced()
    train = task.splits.train
    made = METHOD.prepare(task, {"ratio": 1.0, "k": 5, "by": "class"}, np.random.default_rng(0))
    _, theirs = SMOTE(random_state=0).fit_resample(task.x[train], task.y[train])
    assert (np.bincount(np.concatenate([task.y[train], made.y])) == np.bincount(theirs)).all()


def test_new_rows_lie_on_segments_between_a_row_and_one_of_its_nearest_neighbours():
    x = np.random.default_rng(0).normal(size=(40, 3))
    new, base = between_neighbours(x, 200, 4, np.random.default_rng(1))
    distance = np.linalg.norm(x[:, None] - x[None], axis=-1)
    nearest = np.argsort(distance, axis=1)[:, 1:5]
    for point, b in zip(new, base, strict=True):
        ends = x[nearest[b]]
        along = ((point - x[b]) * (ends - x[b])).sum(1) / ((ends - x[b]) ** 2).sum(1)
        off = np.linalg.norm(x[b] + along[:, None] * (ends - x[b]) - point, axis=1)
        assert ((off < 1e-9) & (along >= -1e-9) & (along <= 1 + 1e-9)).any()


def test_groups_can_be_filled_and_keep_their_label_and_group():
    task = make_task()
    rows = task.splits.train
    made = METHOD.prepare(task, {"ratio": 1.0, "k": 5, "by": "group"}, np.random.default_rng(0))
    cells = np.concatenate([task.subgroup[rows], made.y * 2 + made.attr])
    assert len(set(np.bincount(cells))) == 1


def test_a_ratio_below_one_fills_up_to_that_share():
    task = imbalanced()
    made = METHOD.prepare(task, {"ratio": 0.5, "k": 5, "by": "class"}, np.random.default_rng(0))
    n = np.bincount(task.y[task.splits.train])
    assert n[1] + len(made.y) == round(0.5 * n[0])


@pytest.mark.parametrize("members", [1, 2, 3])
def test_cells_smaller_than_the_neighbourhood_use_fewer_neighbours(members):
    x = np.arange(members, dtype=float)[:, None]
    new, _ = between_neighbours(x, 20, 5, np.random.default_rng(0))
    assert new.min() >= 0 and new.max() <= members - 1


def test_identical_rows_are_no_trouble():
    new, _ = between_neighbours(np.zeros((6, 2)), 10, 5, np.random.default_rng(0))
    assert (new == 0).all()


def test_a_new_row_takes_the_weight_of_its_base_row_and_the_mean_is_one():
    task = replace(imbalanced(), w=np.where(imbalanced().y == 1, 0.2, 1.2).astype(np.float32))
    made = METHOD.prepare(task, {"ratio": 1.0, "k": 5, "by": "class"}, np.random.default_rng(0))
    old = len(task.splits.train)
    final = made.weight * np.concatenate([task.w[task.splits.train], np.ones(len(made.y))])
    light = np.concatenate([task.y[task.splits.train], made.y]) == 1
    assert final.mean() == pytest.approx(1) and np.ptp(final[light]) < 1e-6 and light[old:].all()
