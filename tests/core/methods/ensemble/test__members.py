from __future__ import annotations

import numpy as np
from toys import make_task

from core.engine.looped import fit_rows
from core.methods.ensemble._members import Data, Ensemble, Sample, data_of, grow, once, running_mean, shares
from core.types import Rows


def test_running_mean_of_probabilities_sums_to_one_from_the_first_member_on():
    rng, mean = np.random.default_rng(0), None
    members = rng.dirichlet([1, 1, 1], (5, 4))
    for i, member in enumerate(members):
        mean = running_mean(mean, member, i)
        np.testing.assert_allclose(mean.sum(1), 1.0)
        np.testing.assert_allclose(mean, members[: i + 1].mean(0))


def test_levelled_cells_weigh_what_their_rows_are():
    w = np.array([1.0, 3.0, 0.2, 0.2, 0.6])
    data = Data(np.zeros((5, 1)), np.zeros(5, int), np.array([0, 0, 2, 2, 2]), w, 2, 3)
    mass = np.bincount(data.cell, w * data.level, 3)
    np.testing.assert_allclose(mass, np.array([2, 0, 3]) * w.mean())
    assert data.sizes.tolist() == [2, 0, 3]


def test_cells_are_classes_or_subgroups():
    task = make_task(100)
    rows = fit_rows(task, Rows())
    assert np.array_equal(data_of(task, rows).cell, task.y[task.splits.train])
    group = data_of(task, rows, "group")
    assert np.array_equal(group.cell, task.subgroup[task.splits.train]) and group.n_cells == 4


def test_a_tree_on_counted_copies_is_the_tree_on_copies():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    index = rng.integers(0, 80, 200)
    rows, weight = once(index, np.ones(80))
    none = np.zeros(2, int)
    counted = grow(Sample(x[rows], y[rows], weight, none), 3, np.random.default_rng(1))
    copied = grow(Sample(x[index], y[index], np.ones(200), none), 3, np.random.default_rng(1))
    np.testing.assert_allclose(counted.predict_proba(x), copied.predict_proba(x))


def test_a_class_the_tree_never_met_has_probability_zero():
    tree = grow(Sample(np.arange(4.0)[:, None], np.array([0, 0, 2, 2]), np.ones(4), np.zeros(3)), 0,
                np.random.default_rng(0))  # fmt: skip
    assert shares(tree, np.array([[0.0], [3.0]]), 3).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_an_ensemble_is_called_like_a_function():
    assert Ensemble(lambda x: x + 1, np.zeros((1, 2)))(np.ones(2)).tolist() == [2, 2]
