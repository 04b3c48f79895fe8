from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_score

from core.counts import count_confusion
from core.metrics.ppv import METRIC


def test_equals_scikit_learn(rng):
    y, pred = rng.integers(0, 2, (2, 50))
    counts = count_confusion(pred, y, np.zeros(50, int), 2, 1)
    assert float(METRIC.of(counts)[0]) == pytest.approx(precision_score(y, pred))


def test_nobody_selected_is_undefined():
    assert np.isnan(METRIC.of(np.array([[5.0, 0.0], [5.0, 0.0]]))) and METRIC.undefined == "nobody selected"
