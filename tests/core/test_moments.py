from __future__ import annotations

import numpy as np
import pytest

from core.moments import MOMENTS, moment, shots, sum_moments
from core.types import BadInput


def test_sums_equal_a_loop_over_rows(rng):
    y, p, w, group = rng.normal(3, 1, 40), rng.normal(3, 2, 40), rng.random((5, 40)), rng.integers(-1, 3, 40)
    p[:3] = y[:3]
    found = sum_moments(y, p, group, 3, w)
    assert found.shape == (5, 3, len(MOMENTS))
    for g in range(3):
        own = [i for i in range(40) if group[i] == g]
        assert moment(found, "n")[2, g] == pytest.approx(sum(w[2, i] for i in own))
        assert moment(found, "abs")[2, g] == pytest.approx(sum(w[2, i] * abs(p[i] - y[i]) for i in own))
        assert moment(found, "yp")[2, g] == pytest.approx(
            sum(w[2, i] * (p[i] - y.mean()) * (y[i] - y.mean()) for i in own))
        assert moment(found, "exact")[2, g] == pytest.approx(sum(w[2, i] for i in own if y[i] == p[i]))


def test_moments_of_everybody_are_the_sum_over_groups(rng):
    y, p, group = rng.normal(size=30), rng.normal(size=30), rng.integers(0, 4, 30)
    everybody = sum_moments(y, p, np.zeros(30, int), 1)[0]
    assert sum_moments(y, p, group, 4).sum(0) == pytest.approx(everybody)


def test_missing_numbers_and_other_lengths_are_refused():
    with pytest.raises(BadInput, match="1 values"):
        sum_moments(np.array([np.nan, 1.0]), np.ones(2), np.zeros(2, int), 1)
    with pytest.raises(BadInput, match="3 labels"):
        sum_moments(np.ones(3), np.ones(2), np.zeros(2, int), 1)


def test_shots_are_cut_above_a_hundred_and_below_twenty_training_rows():
    train = np.repeat([1.0, 2.0, 3.0, 4.0], [101, 100, 20, 19])
    assert shots(train, np.array([1, 2, 3, 4, 9, 1.9])).tolist() == [0, 1, 1, 2, 2, 0]
    assert shots(train, np.array([2.0]), width=2.0).tolist() == [0]
    assert shots(np.array([]), np.array([2.0])).tolist() == [2]
