from __future__ import annotations

import numpy as np
import pytest

from core.metrics.scores.mean_score import METRIC
from core.types import Scored


def test_equals_numpy_with_weights_and_ties(each_group):
    found, expected = each_group(METRIC, lambda y, s, w: np.average(s, weights=w))
    assert found == pytest.approx(expected, rel=1e-10)


def test_any_scores_have_a_mean():
    found = METRIC.of(Scored(np.array([-3.0, 5.0]), np.array([0, 1]), np.zeros(2, int), 1, np.array([3.0, 1.0]), False))
    assert found[0] == -1.0
