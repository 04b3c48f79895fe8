from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gmean

from core.metrics.moments.gme import METRIC
from core.moments import sum_moments


def test_equals_scipy(each_group):
    found, expected = each_group(METRIC, lambda y, p, w: gmean(np.abs(p - y), weights=w))
    assert found == pytest.approx(expected, rel=1e-9)


def test_one_exact_prediction_makes_it_zero_and_one_without_weight_does_not():
    y, p = np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, 11.0])
    found = METRIC.of(sum_moments(y, p, np.zeros(3, int), 1, np.array([[1.0, 1, 1], [0, 1, 1]])))
    assert found[:, 0] == pytest.approx([0.0, 4.0])
