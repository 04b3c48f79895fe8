from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_score

from core.counts import count_confusion
from core.metrics.ppv_macro import METRIC


def test_equals_scikit_learn(rng):
    y, pred = rng.integers(0, 4, (2, 90))
    counts = count_confusion(pred, y, np.zeros(90, int), 4, 1)
    assert float(METRIC.of(counts)[0]) == pytest.approx(precision_score(y, pred, average="macro"))


def test_a_class_never_predicted_is_undefined():
    assert np.isnan(METRIC.of(np.array([[3.0, 0.0], [2.0, 0.0]])))
