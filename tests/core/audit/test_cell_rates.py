from __future__ import annotations

import numpy as np
import pytest

from core.audit.cell_rates import cell_means, cell_rates
from core.inference import wilson


def test_shares_without_weights_have_wilson_s_interval():
    hit, cell = np.array([1, 0, 1, 1, 0]), np.array([0, 0, 0, 0, 2])
    found = cell_rates(hit, cell, 3, np.ones(5))
    assert found.value[0] == 0.75 and np.isnan(found.value[1]) and found.n.tolist() == [4, 0, 1]
    low, high = wilson(np.array([3.0, 0, 0]), np.array([4.0, 0, 1]))
    np.testing.assert_allclose(found.low, low)
    np.testing.assert_allclose(found.high, high)


def test_weights_shrink_the_effective_rows():
    found = cell_rates(np.array([1, 0, 0]), np.zeros(3, int), 1, np.array([2.0, 1.0, 1.0]))
    assert found.value[0] == 0.5 and found.effective[0] == pytest.approx(16 / 6)


def test_rows_of_a_person_that_agree_count_once(rng):
    hit, person = np.repeat(rng.integers(0, 2, 50), 4), np.repeat(np.arange(50), 4)
    found = cell_rates(hit, np.zeros(200, int), 1, np.ones(200), person)
    assert found.effective[0] == pytest.approx(50)
    alike = cell_rates(np.ones(200, int), np.zeros(200, int), 1, np.ones(200), person)
    assert alike.effective[0] == 50 and alike.high[0] == 1.0


def test_means_have_the_standard_error_of_the_mean(rng):
    value = rng.normal(size=40)
    found = cell_means(value, np.zeros(40, int), 1, np.ones(40))
    half = 1.959964 * value.std(ddof=1) / np.sqrt(40)
    assert found.high[0] - found.value[0] == pytest.approx(half, rel=1e-6)
    four = cell_means(np.repeat(value, 4), np.zeros(160, int), 1, np.ones(160), np.repeat(np.arange(40), 4))
    assert four.high[0] - four.value[0] == pytest.approx(half, rel=1e-6)
    assert np.isnan(cell_means(value[:1], np.zeros(1, int), 1, np.ones(1)).low[0])
