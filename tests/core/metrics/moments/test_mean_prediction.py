from __future__ import annotations

import numpy as np
import pytest

from core.metrics.moments.mean_prediction import METRIC


def test_equals_the_mean_of_predictions(each_group):
    found, expected = each_group(METRIC, lambda y, p, w: np.average(p, weights=w))
    assert found == pytest.approx(expected, rel=1e-9)
