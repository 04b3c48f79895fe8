from __future__ import annotations

import numpy as np
import pytest

from core import registry
from core.metrics import npv
from core.metrics.for_ import METRIC


def test_is_the_complement_of_the_negative_predictive_value(rng):
    counts = rng.integers(1, 9, (6, 2, 2)).astype(float)
    assert METRIC.of(counts) == pytest.approx(1 - npv.METRIC.of(counts))
    assert METRIC.of(np.array([[6.0, 3.0], [2.0, 1.0]])) == 0.25


def test_its_slug_is_a_word_that_python_keeps_for_itself():
    assert registry.metric("for") is METRIC


def test_everybody_selected_is_undefined():
    assert np.isnan(METRIC.of(np.array([[0.0, 5.0], [0.0, 5.0]])))
