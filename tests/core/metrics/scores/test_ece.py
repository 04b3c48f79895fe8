from __future__ import annotations

import numpy as np
import pytest

from core.metrics.scores.ece import METRIC
from core.types import Scored


def test_equals_a_loop_over_bins_with_weights_and_ties(each_group):
    found, expected = each_group(METRIC, lambda y, s, w: _slow(y, s, w))
    assert found == pytest.approx(expected, rel=1e-10)


def _slow(y, s, w):
    """Equal-mass bins by a loop: a score belongs to the bin of the middle of its weight."""
    gaps = np.zeros(15)
    for v in np.unique(s):
        middle = (w[s < v].sum() + w[s == v].sum() / 2) / w.sum()
        gaps[int(middle * 15)] += (w * (y - s))[s == v].sum()
    return np.abs(gaps).sum() / w.sum()


def test_calibrated_scores_have_none_and_a_constant_one_is_off_by_its_distance():
    y = np.tile([0, 0, 0, 1], 5)
    known = METRIC.of(Scored(np.full(20, 0.25), y, np.zeros(20, int), 1, np.ones(20)))
    off = METRIC.of(Scored(np.full(20, 0.65), y, np.zeros(20, int), 1, np.ones(20)))
    assert known[0] == 0.0 and off[0] == pytest.approx(0.4)


def test_distinct_scores_fill_fifteen_bins_of_equal_size(rng):
    score, y = np.sort(rng.random(150)), rng.integers(0, 2, 150)
    by_hand = np.abs((y - score).reshape(15, 10).sum(1)).sum() / 150
    assert METRIC.of(Scored(score, y, np.zeros(150, int), 1, np.ones(150)))[0] == pytest.approx(by_hand)
