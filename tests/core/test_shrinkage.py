from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln

from core.shrinkage import shrink
from core.types import BadInput

RATS = ("0/20 0/20 0/20 0/20 0/20 0/20 0/20 0/19 0/19 0/19 0/19 0/18 0/18 0/17 1/20 1/20 1/20 1/20 1/19 1/19 1/18 1/18 "
        "2/25 2/24 2/23 2/20 2/20 2/20 2/20 2/20 2/20 1/10 5/49 2/19 5/46 3/27 2/17 7/49 7/47 3/20 3/20 2/13 9/48 "
        "10/50 4/20 4/20 4/20 4/20 4/20 4/20 4/20 10/48 4/19 4/19 4/19 5/22 11/46 12/49 5/20 5/20 6/23 5/19 6/22 6/20 "
        "6/20 6/20 16/52 15/47 15/46 9/24 4/14")


def test_the_rat_tumour_experiments_give_the_published_common_rate():
    k, n = np.array([[int(part) for part in pair.split("/")] for pair in RATS.split()]).T
    found = shrink(k, n)
    assert len(k) == 71 and found.common == pytest.approx(2.4 / (2.4 + 14.3), abs=0.004)
    assert 0.19 < found.mean[-1] < 4 / 14  # drawn from 0.286 towards 0.144


def test_means_equal_a_sum_over_a_dense_grid():
    k, n = np.array([3, 10, 40]), np.array([10, 20, 50])
    m, r = np.linspace(0.001, 0.999, 700)[:, None, None], np.linspace(0.001, 0.999, 700)[None, :, None]
    q = 1 / r**2 - 1
    log = (betaln(m * q + k, (1 - m) * q + n - k) - betaln(m * q, (1 - m) * q)).sum(-1)
    w = np.exp(log - log.max())
    means = [(w * ((k[g] + m * q) / (n[g] + q))[..., 0]).sum() / w.sum() for g in range(3)]
    assert shrink(k, n).mean == pytest.approx(means, abs=3e-4)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=6))
def test_means_lie_between_the_raw_rate_and_the_others_and_inside_their_interval(groups):
    k, n = np.array([a for a, _ in groups]), np.array([a + b for a, b in groups])
    if (n > 0).sum() < 2:
        return
    found = shrink(k, n)
    there = n > 0
    assert (found.low[there] <= found.mean[there]).all() and (found.mean[there] <= found.high[there]).all()
    assert np.isnan(found.mean[~there]).all() and (found.weight[there] > 0).all() and (found.weight[there] < 1).all()


def test_large_groups_keep_their_rate_and_a_tiny_one_is_drawn_in():
    found = shrink(np.array([9e5, 8e5, 0]), np.array([1e6, 1e6, 2]))
    assert found.mean[:2] == pytest.approx([0.9, 0.8], abs=1e-4) and found.mean[2] > 0.3
    assert found.weight[2] > 0.3 > 0.001 > found.weight[0]


def test_equal_groups_collapse_and_intervals_are_narrower_than_alone():
    found = shrink(np.full(30, 25), np.full(30, 50))
    assert np.ptp(found.mean) < 1e-9 and found.mean[0] == pytest.approx(0.5, abs=1e-6)
    assert found.high[0] - found.low[0] < 0.15  # alone: about 0.27


def test_intervals_cover_the_truth_and_means_are_nearer_to_it_than_raw_rates():
    rng, inside, error = np.random.default_rng(1), [], []
    for _ in range(120):
        truth, n = rng.beta(8, 4, 8), rng.integers(10, 200, 8)
        k = rng.binomial(n, truth)
        found = shrink(k, n)
        inside.append((found.low <= truth) & (truth <= found.high))
        error.append([((found.mean - truth) ** 2).mean(), ((k / n - truth) ** 2).mean()])
    assert 0.93 < np.mean(inside) < 0.975
    assert np.mean(error, 0)[0] < 0.9 * np.mean(error, 0)[1]


@pytest.mark.parametrize(("k", "n", "said"), [([1, 0], [3, 0], "at least 2"),
                                                ([5, 1], [3, 2], "between 0 and the rows")])
def test_one_group_or_impossible_counts_are_refused(k, n, said):
    with pytest.raises(BadInput, match=said):
        shrink(np.array(k), np.array(n))
