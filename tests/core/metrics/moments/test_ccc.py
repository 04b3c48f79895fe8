from __future__ import annotations

import numpy as np
import pytest

from core.metrics.moments.ccc import METRIC
from core.moments import sum_moments


def _lin(y, p, w):
    (vy, both), (_, vp) = np.cov(y, p, aweights=w, ddof=0)
    return 2 * both / (vy + vp + (np.average(y, weights=w) - np.average(p, weights=w)) ** 2)


def test_equals_the_formula_over_rows(each_group):
    found, expected = each_group(METRIC, _lin)
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_shift_lowers_it_where_correlation_stays():
    y = np.array([1.0, 2.0, 3.0])
    assert METRIC.of(sum_moments(y, y + 1, np.zeros(3, int), 1))[0] == pytest.approx(4 / 7)
    assert METRIC.of(sum_moments(y, 4 - y, np.zeros(3, int), 1))[0] == pytest.approx(-1.0)
