from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import zero_one_loss

from core.counts import count_confusion
from core.metrics.error_rate import METRIC


def test_equals_scikit_learn(rng):
    y, pred = rng.integers(0, 3, (2, 50))
    counts = count_confusion(pred, y, np.zeros(50, int), 3, 1)
    assert float(METRIC.of(counts)[0]) == pytest.approx(zero_one_loss(y, pred))


def test_no_error_is_exactly_zero_with_weights(rng):
    weight = rng.random(1000)
    y = rng.integers(0, 2, 1000)
    assert METRIC.of(count_confusion(y, y, np.zeros(1000, int), 2, 1, weight))[0] == 0.0


def test_no_rows_is_undefined():
    assert np.isnan(METRIC.of(np.zeros((2, 2))))
