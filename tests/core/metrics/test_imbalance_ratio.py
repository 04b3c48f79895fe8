from __future__ import annotations

import numpy as np

from core.metrics.imbalance_ratio import METRIC


def test_rows_of_the_commonest_class_for_each_of_the_rarest():
    assert METRIC.of(np.array([[70.0, 20.0], [4.0, 6.0]])) == 9.0
    assert METRIC.of(np.diag([60.0, 30.0, 20.0])) == 3.0


def test_a_class_without_rows_is_undefined_rather_than_infinite():
    assert np.isnan(METRIC.of(np.array([[5.0, 1.0], [0.0, 0.0]])))
