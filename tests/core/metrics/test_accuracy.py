from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from core.counts import count_confusion
from core.metrics.accuracy import METRIC


def test_equals_scikit_learn_for_two_and_for_several_classes(rng):
    for classes in (2, 4):
        y, pred = rng.integers(0, classes, (2, 50))
        counts = count_confusion(pred, y, np.zeros(50, int), classes, 1)
        assert float(METRIC.of(counts)[0]) == pytest.approx(accuracy_score(y, pred))


def test_no_rows_is_undefined():
    assert np.isnan(METRIC.of(np.zeros((2, 2, 2)))).all() and METRIC.undefined == "0 rows"
