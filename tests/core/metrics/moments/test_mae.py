from __future__ import annotations

import pytest
from sklearn.metrics import mean_absolute_error

from core.metrics.moments.mae import METRIC


def test_equals_scikit_learn(each_group):
    found, expected = each_group(METRIC, lambda y, p, w: mean_absolute_error(y, p, sample_weight=w))
    assert found == pytest.approx(expected, rel=1e-9)
