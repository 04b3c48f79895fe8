from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss

from core.metrics.scores.log_loss import METRIC
from core.types import Scored


def test_equals_scikit_learn_with_weights_and_ties(each_group):
    found, expected = each_group(METRIC, lambda y, s, w: log_loss(y, s, sample_weight=w, labels=[0, 1]))
    assert found == pytest.approx(expected, rel=1e-10)


def test_sure_and_wrong_is_costly_but_finite():
    found = METRIC.of(Scored(np.array([1.0]), np.array([0]), np.array([0]), 1, np.ones(1)))
    assert found[0] == pytest.approx(-np.log(np.finfo(float).eps))
