from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import r2_score

from core.metrics.moments.r2 import METRIC
from core.moments import sum_moments


def test_equals_scikit_learn(each_group):
    found, expected = each_group(METRIC, lambda y, p, w: r2_score(y, p, sample_weight=w))
    assert found == pytest.approx(expected, rel=1e-9)


def test_labels_that_do_not_vary_are_undefined_even_after_rounding():
    y = np.r_[np.full(7, 0.1), np.full(3, 5.3)]
    found = METRIC.of(sum_moments(y, y + 1.0, np.repeat([0, 1], [7, 3]), 2))
    assert np.isnan(found).all() and METRIC.undefined == "labels that do not vary"
