from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from core.counts import count_confusion
from core.metrics.balanced_accuracy import METRIC


def test_equals_scikit_learn_for_two_and_for_several_classes(rng):
    for classes in (2, 4):
        y, pred = rng.integers(0, classes, (2, 80))
        counts = count_confusion(pred, y, np.zeros(80, int), classes, 1)
        assert float(METRIC.of(counts)[0]) == pytest.approx(balanced_accuracy_score(y, pred))


def test_a_class_without_rows_is_undefined_rather_than_dropped():
    assert np.isnan(METRIC.of(np.array([[5.0, 1.0], [0.0, 0.0]])))


def test_ignoring_the_input_reaches_one_half():
    assert METRIC.of(np.array([[95.0, 0.0], [5.0, 0.0]])) == 0.5
