from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from core.counts import count_confusion
from core.metrics.f1_macro import METRIC


def test_equals_scikit_learn_for_two_and_for_several_classes(rng):
    for classes in (2, 5):
        y, pred = rng.integers(0, classes, (2, 90))
        counts = count_confusion(pred, y, np.zeros(90, int), classes, 1)
        assert float(METRIC.of(counts)[0]) == pytest.approx(f1_score(y, pred, average="macro"))


def test_a_class_neither_there_nor_predicted_is_undefined_rather_than_dropped():
    assert np.isnan(METRIC.of(np.diag([3.0, 2.0, 0.0])))
    assert METRIC.of(np.array([[3.0, 1.0], [0.0, 0.0]])) == pytest.approx(6 / 7 / 2)
