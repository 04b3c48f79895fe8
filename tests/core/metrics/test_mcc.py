from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

from core.counts import count_confusion
from core.metrics.mcc import METRIC


def test_equals_scikit_learn_for_two_and_for_several_classes(rng):
    for classes in (2, 4):
        y, pred = rng.integers(0, classes, (2, 80))
        counts = count_confusion(pred, y, np.zeros(80, int), classes, 1)
        assert float(METRIC.of(counts)[0]) == pytest.approx(matthews_corrcoef(y, pred))


def test_predicting_one_class_alone_is_undefined_where_scikit_learn_says_zero():
    y, pred = np.array([0, 1, 1]), np.array([1, 1, 1])
    assert matthews_corrcoef(y, pred) == 0.0
    assert np.isnan(METRIC.of(count_confusion(pred, y, np.zeros(3, int), 2, 1))[0])


def test_always_wrong_is_minus_one():
    assert METRIC.of(np.array([[0.0, 3.0], [7.0, 0.0]])) == -1.0
