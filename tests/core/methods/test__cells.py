from __future__ import annotations

import numpy as np
import pytest
from toys import make_task

from core.methods._cells import balanced_draw, balanced_subset, cells_of, data_weights, power_weights, sizes
from core.types import BadInput


def test_cells_are_subgroups_or_classes_of_the_training_rows():
    task = make_task()
    rows = task.splits.train
    assert (cells_of(task) == task.y[rows] * 2 + task.attr[rows]).all()
    assert (cells_of(task, "class") == task.y[rows]).all()


def test_weights_have_mean_one_over_the_rows_and_skip_empty_cells():
    cells = np.repeat([0, 2], [90, 10])
    weight = power_weights(cells, 1.0, np.ones(100)).weight
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


@pytest.mark.parametrize("by", ["group", "class"])
def test_on_weighted_data_groups_weigh_the_same_and_the_mean_stays(by):
    task = make_task(weighted=True)
    cells, w = cells_of(task, by), data_weights(task)
    w = w * np.where(cells == cells.max(), 0.05, 1.0)
    together = w * power_weights(cells, 1.0, w).weight
    assert together.mean() == pytest.approx(w.mean()) and np.allclose(
        sizes(cells, together), len(w) * w.mean() / len(set(cells))
    )
    prob, weight = balanced_draw(cells, w)
    assert np.allclose(sizes(cells, prob * w * weight), 1 / len(set(cells))) and prob.sum() == pytest.approx(1)


def test_a_balanced_subset_of_weighted_rows_weighs_every_cell_the_same():
    task = make_task(weighted=True)
    kept = balanced_subset(task, cells_of(task), np.random.default_rng(0))
    mass = np.bincount(task.subgroup[kept.index], task.w[kept.index] * kept.weight)
    assert np.allclose(mass, len(kept.index) / 4)


def test_without_data_weights_levelled_weights_are_exactly_one():
    cells = np.repeat([0, 2], [90, 10])
    assert (balanced_draw(cells, np.ones(100))[1] == 1).all()
