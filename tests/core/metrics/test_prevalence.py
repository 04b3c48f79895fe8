from __future__ import annotations

import numpy as np
import pytest

from core.counts import count_confusion
from core.metrics.prevalence import METRIC


def test_is_the_share_of_positive_labels_whatever_is_predicted(rng):
    y, pred = rng.integers(0, 2, (2, 50))
    counts = count_confusion(np.stack([pred, 1 - pred]), y, np.zeros(50, int), 2, 1)
    assert METRIC.of(counts)[:, 0] == pytest.approx([y.mean(), y.mean()])


def test_no_rows_is_undefined():
    assert np.isnan(METRIC.of(np.zeros((2, 2))))
