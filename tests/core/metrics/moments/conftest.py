"""Rows of a regression in four groups, as the tests of its metrics need them."""

from __future__ import annotations

import numpy as np
import pytest

from core.moments import sum_moments


@pytest.fixture
def each_group(rng):
    """(metric, reference(y, p, w)): values by moments beside values over the rows of every group; large offsets."""
    y = rng.normal(1e4, 3.0, 200)
    p, w, group = y + rng.normal(0.5, 1.0, 200), rng.random(200), rng.integers(0, 4, 200)

    def both(metric, reference):
        found = metric.of(sum_moments(y, p, group, 4, w))
        return found, np.array([reference(y[group == g], p[group == g], w[group == g]) for g in range(4)])
    return both
