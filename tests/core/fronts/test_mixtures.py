from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.fronts import ThresholdFront, group_threshold_front, hull, mixture_at
from core.types import BadInput


def front(gap, value, higher=True):
    gap = np.asarray(gap, dtype=float)
    return ThresholdFront(gap, np.asarray(value, dtype=float), np.zeros((len(gap), 2)), higher_is_better=higher)


def test_points_under_the_line_between_others_are_left_out():
    assert hull(front([0.0, 0.1, 0.2, 0.3], [0.5, 0.55, 0.8, 0.85])).tolist() == [0, 2, 3]
    assert hull(front([0.0, 0.1, 0.2], [0.5, 0.2, 0.1], higher=False)).tolist() == [0, 1, 2]
    assert hull(front([0.0, 0.1, 0.2], [0.5, 0.45, 0.1], higher=False)).tolist() == [0, 2]


def test_a_coin_half_way_has_half_of_both():
    found = mixture_at(front([0.0, 0.2], [0.6, 0.8]), 0.1)
    assert (found.first, found.second) == (0, 1)
    assert (found.share, found.value, found.gap) == pytest.approx((0.5, 0.7, 0.1))


def test_at_and_beyond_the_ends_no_coin_is_needed():
    two = front([0.05, 0.2], [0.6, 0.8])
    assert mixture_at(two, 0.01) is None and mixture_at(two, 0.05).share == 0.0
    assert mixture_at(two, 0.5) == mixture_at(two, 0.2) and mixture_at(two, 0.5).value == 0.8
    assert mixture_at(front([np.nan], [0.8]), 0.5) is None
    with pytest.raises(BadInput, match="at least 0"):
        mixture_at(two, -1)


@given(arrays(float, 6, elements=st.floats(0, 1)), arrays(float, 6, elements=st.floats(0, 1)), st.floats(0, 1))
def test_no_coin_between_any_two_rules_does_better(gap, value, bound):
    gap = np.sort(gap)
    found, best = mixture_at(front(gap, value), bound), -np.inf
    for a, b in itertools.product(range(6), repeat=2):
        for share in np.linspace(0, 1, 41):
            if (1 - share) * gap[a] + share * gap[b] <= bound:
                best = max(best, (1 - share) * value[a] + share * value[b])
    assert (found is None) == np.isinf(best)
    if found is not None:
        assert found.value >= best - 1e-9 and found.gap <= bound + 1e-12


def test_the_gap_of_the_expected_rates_keeps_the_promise_and_beats_every_single_rule(rng):
    y, attr = rng.integers(0, 2, 60), np.arange(60) % 3
    score = np.round(rng.random(60) + 0.3 * y, 1)
    single = group_threshold_front(score, y, attr, 3, resolution=0)
    for bound in (0.03, 0.08, 0.15):
        coin = mixture_at(single, bound)
        if coin is None:
            continue
        rules = [score >= single.thresholds[k][attr] for k in (coin.first, coin.second)]
        expected = (1 - coin.share) * rules[0] + coin.share * rules[1]
        rate = [expected[attr == a].mean() for a in range(3)]
        right = np.where(y == 1, expected, 1 - expected).mean()
        assert max(rate) - min(rate) <= bound + 1e-12 and right == pytest.approx(coin.value)
        assert coin.value >= single.value[single.gap <= bound].max() - 1e-12
