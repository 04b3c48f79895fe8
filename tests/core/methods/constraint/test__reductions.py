from __future__ import annotations

import numpy as np
from fairlearn.reductions import DemographicParity, EqualizedOdds
from toys import make_task

from core.methods.constraint._reductions import MOST, constraint, training
from core.types import Rows


def test_the_criterion_names_the_constraint():
    assert isinstance(constraint("parity", 0.1), DemographicParity)
    assert isinstance(constraint("odds", 0.1), EqualizedOdds)


def test_even_weights_keep_the_rows_as_they_are():
    task = make_task(200)
    x, y, attr = training(task, Rows(index=task.splits.train, weight=np.ones(len(task.splits.train))))
    assert np.array_equal(x, task.x[task.splits.train]) and len(y) == len(attr) == len(x)


def test_uneven_weights_become_rows_in_proportion_and_large_tables_are_thinned():
    task = make_task(600)
    index = task.splits.train
    weight = np.where(task.y[index] == 1, 9.0, 1.0)
    _, y, _ = training(task, Rows(index=index, weight=weight))
    assert abs(y.mean() - weight[task.y[index] == 1].sum() / weight.sum()) < 0.05
    many = np.tile(index, 1 + MOST // len(index))
    assert len(training(task, Rows(index=many))[0]) == MOST
