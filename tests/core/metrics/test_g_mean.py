from __future__ import annotations

import numpy as np
import pytest
from imblearn.metrics import geometric_mean_score

from core.counts import count_confusion
from core.metrics.g_mean import METRIC


def test_equals_imbalanced_learn_for_two_and_for_several_classes(rng):
    for classes in (2, 4):
        y, pred = rng.integers(0, classes, (2, 120))
        counts = count_confusion(pred, y, np.zeros(120, int), classes, 1)
        assert float(METRIC.of(counts)[0]) == pytest.approx(geometric_mean_score(y, pred))


def test_a_class_never_found_makes_it_zero_and_a_class_without_rows_undefined():
    assert METRIC.of(np.array([[9.0, 0.0], [1.0, 0.0]])) == 0.0
    assert np.isnan(METRIC.of(np.array([[9.0, 1.0], [0.0, 0.0]])))
