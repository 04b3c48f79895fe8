from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toys import make_task

from core import registry
from core.methods.reweight.kamiran_calders import independent

METHOD = registry.method("kamiran_calders")


def prepared(task):
    return METHOD.prepare(task, {}, np.random.default_rng(0)).weight


def test_ten_rows_by_hand():
    """Of 5 men 4 are hired, of 5 women 2: 5 * 6 / (10 * 4), 5 * 4 / 10, 5 * 6 / (10 * 2), 5 * 4 / (10 * 3)."""
    y, a = np.array([1, 1, 1, 1, 0, 1, 1, 0, 0, 0]), np.array([0] * 5 + [1] * 5)
    assert np.allclose(independent(y, a, np.ones(10)), [0.75] * 4 + [2] + [1.5] * 2 + [2 / 3] * 3)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_class_and_group_become_independent_and_keep_their_shares(weighted, classes):
    task = make_task(classes=classes, weighted=weighted)
    rows = task.splits.train
    old, new = np.zeros((classes, 2)), np.zeros((classes, 2))
    np.add.at(old, (task.y[rows], task.attr[rows]), task.w[rows] / task.w[rows].sum())
    final = task.w[rows] * prepared(task)
    np.add.at(new, (task.y[rows], task.attr[rows]), final / final.sum())
    assert np.allclose(new, np.outer(old.sum(1), old.sum(0)))
    assert final.mean() == pytest.approx(task.w[rows].mean())


def test_independent_data_are_left_alone():
    task = make_task()
    y, attr = task.y.copy(), task.attr.copy()
    rows = task.splits.train
    y[rows], attr[rows] = np.arange(len(rows)) % 2, np.arange(len(rows)) // 2 % 2
    assert np.allclose(prepared(replace(task, y=y, attr=attr)), 1)


def test_weights_act_as_repeated_rows():
    y, a = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 1])
    times = np.array([3, 1, 2, 1, 2])
    once = independent(y, a, times.astype(float))
    assert np.allclose(np.repeat(once, times), independent(np.repeat(y, times), np.repeat(a, times), np.ones(9)))


def test_a_cell_without_rows_leaves_the_others_finite():
    y, a = np.array([0, 0, 1]), np.array([0, 1, 0])
    assert np.allclose(independent(y, a, np.ones(3)), [4 / 3, 2 / 3, 2 / 3])
