from __future__ import annotations

import numpy as np
import pytest
from fairlearn.metrics import false_negative_rate

from core.counts import count_confusion
from core.metrics.fnr import METRIC


def test_equals_fairlearn(rng):
    y, pred = rng.integers(0, 2, (2, 50))
    counts = count_confusion(pred, y, np.zeros(50, int), 2, 1)
    assert float(METRIC.of(counts)[0]) == pytest.approx(false_negative_rate(y, pred))


def test_no_positives_is_undefined_not_zero():
    assert np.isnan(METRIC.of(np.array([[5.0, 5.0], [0.0, 0.0]]))) and METRIC.undefined == "0 positives"
