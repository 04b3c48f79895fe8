from __future__ import annotations

import numpy as np
import pytest

from core.metrics.effective_samples import METRIC, effective_number
from core.types import BadInput


def test_equals_the_sum_of_the_geometric_series():
    assert effective_number(np.array([7.0]), 0.9)[0] == pytest.approx(sum(0.9**k for k in range(7)))
    assert METRIC.of(np.diag([7.0, 3.0])) == pytest.approx(sum(0.999**k for k in [*range(7), *range(3)]))


def test_ends_are_one_row_a_class_and_every_row():
    assert effective_number(np.array([0.0, 5.0]), 0.0).tolist() == [0.0, 1.0]
    assert effective_number(np.array([500.0]), 1 - 1e-9)[0] == pytest.approx(500.0, rel=1e-6)


def test_a_beta_of_one_is_refused():
    with pytest.raises(BadInput, match="below 1"):
        effective_number(np.array([1.0]), 1.0)
