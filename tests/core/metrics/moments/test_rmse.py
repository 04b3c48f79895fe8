from __future__ import annotations

import pytest
from sklearn.metrics import root_mean_squared_error

from core.metrics.moments.rmse import METRIC


def test_equals_scikit_learn(each_group):
    found, expected = each_group(METRIC, lambda y, p, w: root_mean_squared_error(y, p, sample_weight=w))
    assert found == pytest.approx(expected, rel=1e-9)
