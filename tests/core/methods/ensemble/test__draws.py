from __future__ import annotations

import numpy as np
import pytest

from core.methods.ensemble._draws import (
    between,
    changes_nothing,
    draw,
    neighbours,
    picker,
    share_at,
    synthetic_picker,
    wanted,
)
from core.methods.ensemble._members import Data


def data(n=(40, 8, 3), w=None):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(len(n)), n)
    return Data(rng.normal(size=(len(y), 2)).astype(np.float32), y, y, np.ones(len(y)) if w is None else w, len(n),
                len(n))  # fmt: skip


def test_progressive_sizes_go_in_equal_steps_from_the_original_to_equal_ones():
    sizes = np.array([90, 0, 10])
    steps = [wanted(sizes, "under", share_at(1.0, "progressive", t, 5)).tolist() for t in range(5)]
    assert steps == [[90, 0, 10], [70, 0, 10], [50, 0, 10], [30, 0, 10], [10, 0, 10]]
    assert wanted(sizes, "over", share_at(1.0, "progressive", 4, 5)).tolist() == [90, 0, 90]
    assert wanted(sizes, "over", share_at(1.0, "uniform", 0, 5)).tolist() == [90, 0, 90]
    assert share_at(0.5, "progressive", 0, 1) == 0.5


@pytest.mark.parametrize("replace", [False, True])
def test_draws_give_every_cell_its_number(replace):
    rows = draw(data().cell, np.array([10, 20, 5]), np.random.default_rng(0), replace)
    assert np.bincount(data().cell[rows]).tolist() == [10, 20, 5]
    if not replace:
        times = np.bincount(rows, minlength=51)
        assert times[:40].max() == 1 and set(times[40:48]) == {2, 3} and set(times[48:]) == {1, 2}


@pytest.mark.parametrize("to", ["under", "over"])
def test_the_counts_of_each_round_equal_the_schedule(to):
    hp = {"amount": 1.0, "schedule": "progressive"}
    pick = picker(data(), to, hp, 4, replace=True)
    for t in range(4):
        sample = pick(t, np.ones(51), np.random.default_rng(t))
        assert sample.counts.tolist() == wanted(data().sizes, to, t / 3).tolist()
        np.testing.assert_allclose(np.bincount(sample.y, sample.w), sample.counts)


def test_equal_numbers_count_the_same_on_weighted_data():
    w = np.where(np.arange(51) < 40, 1.0, 0.05)
    hp = {"amount": 1.0, "schedule": "uniform"}
    sample = picker(data(w=w), "under", hp, 1, replace=False)(0, w, np.random.default_rng(0))
    mass = np.bincount(sample.y, sample.w)
    np.testing.assert_allclose(mass, mass[0])


def test_three_rare_rows_have_two_neighbours_where_five_are_asked_for():
    x = np.array([[0.0], [1.0], [10.0]])
    near = neighbours(x, 5)
    assert near.tolist() == [[1, 2], [0, 2], [1, 0]]
    new, base = between(x, near, 50, np.random.default_rng(0))
    assert new.min() >= 0 and new.max() <= 10 and set(base) == {0, 1, 2}


def test_one_row_is_repeated_and_equal_rows_are_not_their_own_neighbours():
    new, _ = between(np.array([[4.0]]), neighbours(np.array([[4.0]]), 5), 3, np.random.default_rng(0))
    assert new.tolist() == [[4.0]] * 3
    near = neighbours(np.zeros((4, 2)), 3)
    assert all(i not in row for i, row in enumerate(near.tolist()))


def test_new_rows_fill_every_cell_and_keep_class_and_weight():
    hp = {"amount": 1.0, "schedule": "uniform", "k": 5}
    w = np.arange(1.0, 52.0)
    sample = synthetic_picker(data(w=w), hp, 1, replace=False)(0, w, np.random.default_rng(0))
    assert np.bincount(sample.y).tolist() == sample.counts.tolist() == [40, 40, 40]
    assert sample.w.shape == sample.y.shape and sample.x.dtype == np.float32
    assert set(np.round(sample.w, 6)) <= set(np.round(w * data(w=w).level, 6))


def test_amount_zero_and_balanced_data_change_nothing():
    assert changes_nothing(data(), 0.0) and changes_nothing(data((5, 5, 5)), 1.0) and changes_nothing(data((5, 0)), 1.0)
    assert not changes_nothing(data(), 0.1)
