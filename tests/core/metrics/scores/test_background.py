from __future__ import annotations

import numpy as np

from core.metrics.scores.background import NEGATIVE, POSITIVE, against_background
from core.types import Scored


def test_rows_in_no_group_are_background_and_a_group_without_rows_is_undefined():
    scored = Scored(np.array([0.2, 0.6, 0.6]), np.array([1, 0, 0]), np.array([0, -1, -1]), 2, np.ones(3))
    found = against_background(scored, POSITIVE, NEGATIVE)
    assert found[0] == 0.0 and np.isnan(found[1])


def test_a_background_whose_weights_are_zero_is_undefined_to_the_bit(rng):
    group = rng.integers(0, 2, 500)
    w = np.where(group == 1, 0.0, rng.random(500))
    found = against_background(Scored(rng.random(500), rng.integers(0, 2, 500), group, 2, w), POSITIVE, POSITIVE)
    assert np.isnan(found).all()


def test_no_rows_are_undefined():
    none = np.zeros(0)
    found = against_background(Scored(none, none.astype(int), none.astype(int), 2, np.ones((4, 0))), 0, 1)
    assert found.shape == (4, 2) and np.isnan(found).all()
