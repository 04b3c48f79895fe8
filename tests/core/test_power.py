from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.power import least_difference, power_of, rows_beside, rows_each
from core.types import BadInput

RATE = st.floats(0.02, 0.98)


@pytest.mark.parametrize(("p", "q", "power", "rows"), [(0.5, 0.6, 0.8, 388), (0.1, 0.2, 0.8, 199), (0.5, 0.6, 0.9, 519),
                                                      (0.25, 0.4, 0.8, 152)])
def test_rows_of_textbook_examples(p, q, power, rows):
    assert abs(int(rows_each(p, q, power)) - rows) <= 1


@given(RATE, RATE)
def test_the_rows_asked_for_give_the_power_and_one_in_ten_fewer_do_not(p, q):
    if abs(p - q) < 0.02:
        return
    n = float(rows_each(p, q))
    assert power_of(p, n, q, n) >= 0.8 - 1e-9
    if n > 100:
        assert power_of(p, 0.9 * n, q, 0.9 * n) < 0.8


def test_power_is_what_simulated_tests_find(rng):
    p, q, n, m = 0.3, 0.4, 150, 300
    a, b = rng.binomial(n, p, 20_000) / n, rng.binomial(m, q, 20_000) / m
    middle = (a * n + b * m) / (n + m)
    z = np.abs(a - b) / np.sqrt(middle * (1 - middle) * (1 / n + 1 / m))
    assert (z > 1.959964).mean() == pytest.approx(float(power_of(p, n, q, m)), abs=0.015)


def test_a_group_beside_a_small_one_can_never_have_enough():
    assert np.isinf(rows_beside(0.5, 0.6, 100)) and rows_beside(0.5, 0.6, 388) == 387
    assert rows_beside(0.5, 0.6, 1e9) < 388 / 1.9
    assert np.isinf(rows_each(0.3, 0.3)) and power_of(0.2, 0, 0.5, 10) == 0


@given(st.integers(30, 5000), RATE, st.integers(30, 5000))
def test_the_least_difference_is_just_seen(n, q, m):
    d = float(least_difference(n, q, m))
    if np.isnan(d):
        return
    p = q - d if q > 0.5 else q + d
    assert power_of(p, n, q, m) == pytest.approx(0.8, abs=0.01)


def test_more_rows_show_smaller_differences_and_one_row_none():
    found = least_difference(np.array([1, 50, 500, 5000]), 0.5, 1000)
    assert np.isnan(found[0]) and (np.diff(found[1:]) < 0).all()


@pytest.mark.parametrize(("power", "level"), [(1.0, 0.95), (0.8, 0.0)])
def test_impossible_power_and_levels_are_refused(power, level):
    with pytest.raises(BadInput, match="between 0 and 1"):
        rows_each(0.1, 0.2, power, level)
