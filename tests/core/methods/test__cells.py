from __future__ import annotations

import numpy as np
import pytest
from toys import make_task

from core.methods._cells import balanced_subset, cells_of, power_weights
from core.types import BadInput


def test_cells_are_subgroups_or_classes_of_the_training_rows():
    task = make_task()
    rows = task.splits.train
    assert (cells_of(task) == task.y[rows] * 2 + task.attr[rows]).all()
    assert (cells_of(task, "class") == task.y[rows]).all()


def test_weights_have_mean_one_over_the_rows_and_skip_empty_cells():
    cells = np.repeat([0, 2], [90, 10])
    weight = power_weights(cells, 1.0).weight
    assert weight.mean() == pytest.approx(1) and weight[-1] / weight[0] == pytest.approx(9)


def test_a_balanced_subset_holds_the_smallest_size_of_every_cell_once():
    task = make_task()
    cells = cells_of(task)
    kept = balanced_subset(task, cells, np.random.default_rng(0)).index
    counts = np.bincount(task.subgroup[kept])
    assert (counts == np.bincount(cells).min()).all() and len(np.unique(kept)) == len(kept)


def test_one_cell_cannot_be_balanced():
    task = make_task()
    with pytest.raises(BadInput, match="at least two"):
        balanced_subset(task, np.zeros(len(task.splits.train), int), np.random.default_rng(0))
