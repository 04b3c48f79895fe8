from __future__ import annotations

import numpy as np
import pytest

from core.metrics import ppv
from core.metrics.fdr import METRIC


def test_is_the_complement_of_precision(rng):
    counts = rng.integers(1, 9, (6, 2, 2)).astype(float)
    assert METRIC.of(counts) == pytest.approx(1 - ppv.METRIC.of(counts))
    assert METRIC.of(np.array([[4.0, 3.0], [2.0, 1.0]])) == 0.75


def test_nobody_selected_is_undefined_not_zero():
    assert np.isnan(METRIC.of(np.array([[5.0, 0.0], [5.0, 0.0]]))) and METRIC.undefined == "nobody selected"
