from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import entropy

from core.metrics.class_entropy import METRIC


def test_equals_scipy_over_the_largest_possible():
    sizes = np.array([60.0, 30.0, 10.0])
    assert METRIC.of(np.diag(sizes)) == pytest.approx(entropy(sizes / 100, base=3))


def test_equal_classes_give_one_and_a_single_class_zero():
    assert METRIC.of(np.diag([5.0, 5.0])) == pytest.approx(1.0)
    assert METRIC.of(np.array([[2.0, 3.0], [0.0, 0.0]])) == 0.0
