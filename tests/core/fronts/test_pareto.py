from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fronts import front_share, hypervolume, knee, non_dominated

NAN = float("nan")
coarse = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12)


def slow(points):
    better = lambda q, p: (q >= p).all() and (q > p).any()  # noqa: E731
    return [not any(better(q, p) for q in points) for p in points]


@given(coarse)
def test_non_dominated_equals_the_definition_with_ties(points):
    points = np.array(points, dtype=float)
    assert non_dominated(points).tolist() == slow(points)
    assert non_dominated(points * [1, -1], (True, False)).tolist() == slow(points)
    assert non_dominated(-points, (False, False)).tolist() == slow(points)


@given(st.lists(coarse, min_size=2, max_size=3))
def test_many_worlds_at_once_equal_one_by_one(worlds):
    size = min(map(len, worlds))
    draws = np.array([w[:size] for w in worlds], dtype=float)
    assert non_dominated(draws).tolist() == [slow(w) for w in draws]
    assert front_share(draws) == pytest.approx(np.mean([slow(w) for w in draws], axis=0))


def test_an_undefined_point_is_never_on_the_front_and_beats_nobody():
    points = np.array([[NAN, 9.0], [1.0, 1.0], [5.0, NAN]])
    assert non_dominated(points).tolist() == [False, True, False]
    assert non_dominated(np.zeros((0, 2))).shape == (0,)
    assert not non_dominated(np.full((2, 2), NAN)).any()


def test_equal_points_are_on_the_front_together():
    assert non_dominated(np.array([[1.0, 2.0], [1.0, 2.0]])).all()


def test_hypervolume_by_hand():
    points = np.array([[1.0, 3.0], [2.0, 2.0], [1.5, 1.0], [NAN, 5.0]])
    assert hypervolume(points, (0, 0)) == 5.0
    assert hypervolume(points, (2, 2)) == 0.0
    assert hypervolume(np.zeros((0, 2)), (0, 0)) == 0.0


@given(coarse)
def test_hypervolume_equals_counted_cells_and_never_falls_when_a_point_is_added(points):
    points = np.array(points, dtype=float)
    grid = np.stack(np.meshgrid(np.arange(5) + 0.5, np.arange(5) + 0.5), -1).reshape(-1, 2)
    covered = (grid[:, None] < points).all(-1).any(1).sum()
    assert hypervolume(points, (0, 0)) == pytest.approx(covered)
    assert hypervolume(points[:-1], (0, 0)) <= covered


def test_hypervolume_turns_axes_where_less_is_better():
    assert hypervolume(np.array([[0.9, 0.1]]), (0.5, 0.3), (True, False)) == pytest.approx(0.4 * 0.2)


def test_knee_is_the_corner_of_the_front():
    points = np.array([[0.0, 1.0], [0.8, 0.9], [1.0, 0.0], [0.5, 0.5]])
    assert knee(points) == 1
    assert knee(points * [1, -1], (True, False)) == 1


def test_a_front_without_a_corner_has_no_knee():
    assert knee(np.array([[0.0, 1.0], [1.0, 0.0]])) is None
    assert knee(np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])) is None
    assert knee(np.array([[0.0, 1.0], [0.3, 0.4], [1.0, 0.0]])) is None
    assert knee(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])) is None
    assert knee(np.full((3, 2), NAN)) is None
