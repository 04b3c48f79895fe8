from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.under_sampling import NeighbourhoodCleaningRule
from toys import make_task

from core import registry
from core.types import BadInput, Splits

METHOD = registry.method("neighbourhood_cleaning")


def clear():
    """A rare class; classes and attribute groups that hardly overlap."""
    task = make_task(900)
    y = np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y)
    x = task.x.copy()
    x[:, 0] += 4 * y
    x[:, 1] += 4 * task.attr
    return replace(task, x=x, y=y)


def line(zero, one):
    """Training rows of class 0 and 1 at these places on a line; the last one serves validation and test too."""
    x, y = np.array([*zero, *one, one[-1], one[-1]], np.float32), np.repeat([0, 1], [len(zero), len(one) + 2])
    n, zeros = len(x) - 2, np.zeros(len(x), np.int64)
    return replace(make_task(60), x=x[:, None], y=y, attr=zeros, w=np.ones(len(x), np.float32),
                   splits=Splits(np.arange(n), np.array([n]), np.array([n + 1])))  # fmt: skip


def made(task, seed=0, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(seed))


@pytest.mark.parametrize("by", ["class", "group"])
def test_rows_left_are_those_of_imbalanced_learn(by):
    task = clear()
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = NeighbourhoodCleaningRule(n_neighbors=5, threshold_cleaning=0.5)
    theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, k=5)
    assert np.array_equal(rows.index, train[np.sort(theirs.sample_indices_)]) and rows.x is None
    assert 0 < len(rows.index) < len(train)



def test_rows_that_crowd_a_misjudged_rare_row_go_by_hand():
    """10 is outvoted by 9.8 and 10.3; its three nearest others are 9.8, 10.3 and 11. None of these is misjudged."""
    task = line([0, 1, 2, 3, 9.8, 10.3, 11], [10, 20, 20.1, 20.3])
    left = made(task).index
    assert task.x[left[task.y[left] == 0], 0].tolist() == [0, 1, 2, 3] and (task.y[left] == 1).sum() == 4


def test_classes_not_much_larger_are_spared_by_the_factor():
    task = line([0, 1, 2, 3, 9.8, 10.3, 11], [10, 20, 20.1, 20.3])
    assert made(task, factor=1.8).index is None and made(task, factor=1.7).index is not None


def test_misjudged_rows_of_the_large_class_go():
    task = line([0, 1, 2, 3, 20.2], [20, 20.1, 20.3, 30])
    left = made(task).index
    assert task.x[left[task.y[left] == 0], 0].tolist() == [0, 1, 2, 3]


def test_too_many_neighbours_are_told():
    with pytest.raises(BadInput, match="neighbours: found 9, allowed is fewer than the 9 training rows"):
        made(line([0, 1, 2, 3, 20.2], [20, 20.1, 20.3, 30]), k=9)


def test_weights_are_kept_and_average_to_one():
    task = make_task(900, weighted=True)
    rows = made(task)
    assert (task.w[rows.index] * rows.weight).mean() == pytest.approx(1, abs=1e-6) and np.ptp(rows.weight) < 1e-9
