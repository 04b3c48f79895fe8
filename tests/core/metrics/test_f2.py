from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import fbeta_score

from core.counts import count_confusion
from core.metrics.f2 import METRIC


def test_equals_scikit_learn(rng):
    y, pred = rng.integers(0, 2, (2, 50))
    counts = count_confusion(pred, y, np.zeros(50, int), 2, 1)
    assert float(METRIC.of(counts)[0]) == pytest.approx(fbeta_score(y, pred, beta=2))


def test_a_missed_positive_costs_more_than_a_wrong_selection():
    missed, wrong = np.array([[8.0, 0.0], [1.0, 4.0]]), np.array([[7.0, 1.0], [0.0, 4.0]])
    assert METRIC.of(missed) == pytest.approx(20 / 24) and METRIC.of(wrong) == pytest.approx(20 / 21)
