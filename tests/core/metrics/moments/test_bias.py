from __future__ import annotations

import numpy as np
import pytest

from core.metrics.moments.bias import METRIC


def test_equals_the_mean_error(each_group):
    found, expected = each_group(METRIC, lambda y, p, w: np.average(p - y, weights=w))
    assert found == pytest.approx(expected, rel=1e-9)
