from __future__ import annotations

import numpy as np
import pytest

from core.metrics.scores.ece_width import METRIC
from core.types import Scored


def test_equals_a_loop_over_bins_with_weights_and_ties(each_group):
    found, expected = each_group(METRIC, lambda y, s, w: _slow(y, s, w))
    assert found == pytest.approx(expected, rel=1e-10)


def _slow(y, s, w):
    found = np.minimum((s * 15).astype(int), 14)
    return sum(abs((w * (y - s))[found == b].sum()) for b in range(15)) / w.sum()


def test_scores_of_one_belong_to_the_last_bin():
    found = METRIC.of(Scored(np.array([1.0, 0.95]), np.array([1, 0]), np.zeros(2, int), 1, np.ones(2)))
    assert found[0] == pytest.approx(0.475)
