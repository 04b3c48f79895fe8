from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.over_sampling import ADASYN
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from
from core.types import BadInput, Splits

METHOD = registry.method("adasyn")


def imbalanced():
    task = make_task(900)
    return replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))


def line(zero, one):
    """Training rows of class 0 and 1 at these places on a line; the last one serves validation and test too."""
    x, y = np.array([*zero, *one, one[-1], one[-1]], np.float32), np.repeat([0, 1], [len(zero), len(one) + 2])
    n, zeros = len(x) - 2, np.zeros(len(x), np.int64)
    return replace(make_task(60), x=x[:, None], y=y, attr=zeros, w=np.ones(len(x), np.float32),
                   splits=Splits(np.arange(n), np.array([n]), np.array([n + 1])))  # fmt: skip


def made(task, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(0))


@pytest.mark.parametrize("by", ["class", "group"])
def test_new_rows_are_those_of_imbalanced_learn(by):
    task = imbalanced()
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    n = np.bincount(cells[train])
    goal = {c: round(0.6 * n.max()) for c in np.flatnonzero((n > 0) & (n < 0.6 * n.max()))}
    theirs = ADASYN(sampling_strategy=goal, random_state=seed_from(np.random.default_rng(0)), n_neighbors=4)
    x, y = theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, k=4, ratio=0.6)
    assert np.array_equal(rows.x, x[len(train) :]) and np.array_equal(rows.index, train)
    mine = rows.y if by == "class" else rows.y * 2 + rows.attr
    assert np.array_equal(mine, y[len(train) :])



def test_new_rows_start_where_foreign_neighbours_are():
    """Of the rows at 0, 0.1, 0.2 and 10 the last alone has foreign neighbours: all six rows start there."""
    task = line(np.arange(10.1, 11.1, 0.1), [0.0, 0.1, 0.2, 10.0])
    rows = made(task, k=2)
    start, ends = 10.0, np.array([0.1, 0.2])
    assert len(rows.x) == 6 and ((rows.x <= start) & (rows.x >= ends.min())).all() and np.ptp(rows.x) > 1


def test_a_class_that_misses_too_few_rows_for_any_share_is_left_alone():
    """One row is missing and spread over four rows alike: each would make a quarter."""
    task = line(np.arange(5.0), np.arange(4.0) + 0.5)
    assert made(task, k=2).x is None


def test_other_classes_are_filled_where_one_misses_too_few():
    task = line([*np.arange(8.0), 20, 20.4, 20.8], [*np.arange(6.0) + 0.5, 20.2])
    y = task.y.copy()
    y[[8, 9, 10, 17, 18, 19]] = 2
    y[17] = 0
    three = replace(task, y=y, classes=("a", "b", "c"))
    after = np.bincount(np.concatenate([three.y[three.splits.train], made(three, k=2).y]))
    assert np.bincount(three.y[three.splits.train]).tolist() == [9, 6, 3] and after[2] > 3


def test_classes_apart_and_too_few_rows_are_refused():
    with pytest.raises(BadInput, match="ADASYN: found a small class without any foreign neighbour"):
        made(line(np.arange(20.0), np.arange(6.0) + 1000))
    with pytest.raises(BadInput, match="3 training rows of class 1, allowed is at least 6"):
        made(line(np.arange(20.0), np.arange(3.0)))
