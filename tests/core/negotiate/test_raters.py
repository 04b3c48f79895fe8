from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from core.negotiate.raters import agreement_table, icc, kendall
from core.types import BadInput

SHROUT = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float)


def test_the_example_of_shrout_and_fleiss():
    found = icc(SHROUT)
    assert found.value == pytest.approx(0.29, abs=0.005)
    assert (found.low, found.high) == pytest.approx((0.019, 0.761), abs=0.001)


def test_equal_raters_agree_and_a_constant_shift_does_not():
    same = np.repeat(np.arange(5.0)[:, None], 3, axis=1)
    assert icc(same).value == pytest.approx(1)
    assert icc(same + [0, 0, 10]).value < 0.2 and kendall(same + [0, 0, 10])[0] == pytest.approx(1)


def test_reversed_rankings_have_no_concordance():
    x = np.arange(6.0)
    assert kendall(np.stack([x, -x], 1))[0] == pytest.approx(0)


@pytest.mark.parametrize("seed", range(3))
def test_w_is_friedmans_statistic_and_the_mean_rank_correlation(seed):
    rng = np.random.default_rng(seed)
    tied = rng.integers(0, 4, (7, 5)).astype(float)
    chi, p = stats.friedmanchisquare(*tied)
    w, ours = kendall(tied)
    assert w == pytest.approx(chi / (5 * 6)) and ours == pytest.approx(p)
    free = rng.normal(size=(7, 5))
    mean = np.mean([stats.spearmanr(free[:, a], free[:, b]).statistic for a, b in combinations(range(5), 2)])
    assert (5 * kendall(free)[0] - 1) / 4 == pytest.approx(mean)


def test_simulated_raters_have_the_share_of_variance_that_was_planted():
    rng = np.random.default_rng(0)
    things, raters = rng.normal(0, 2, (4000, 1)), rng.normal(0, 1, (1, 60))
    found = icc(things + raters + rng.normal(0, 1, (4000, 60)))
    assert found.value == pytest.approx(4 / 6, abs=0.06) and found.low < 4 / 6 < found.high


def test_the_interval_covers_what_was_planted():
    rng, hits = np.random.default_rng(1), 0
    for _ in range(300):
        x = rng.normal(0, 1, (20, 1)) + rng.normal(0, 0.7, (1, 6)) + rng.normal(0, 1, (20, 6))
        found = icc(x)
        hits += found.low <= 1 / 2.49 <= found.high
    assert hits / 300 > 0.9


def test_what_cannot_be_told_is_undefined():
    assert np.isnan(icc(np.ones((1, 3))).value) and np.isnan(icc(np.ones((3, 3))).value)
    assert np.isnan(kendall(np.ones((3, 1)))).all() and np.isnan(kendall(np.ones((3, 3)))).all()
    with pytest.raises(BadInput):
        icc(np.array([[1, np.nan], [1, 2]]))


def test_each_group_of_raters_is_compared_among_itself():
    up = np.arange(6.0)
    ratings = np.stack([up, up, -up, -up, np.where(up == 2, np.nan, up)], 1)
    table = agreement_table(ratings, ["a", "a", "b", "b", "b"]).set_index("group")
    assert table["n_raters"].to_dict() == {"everyone": 4, "a": 2, "b": 2}
    assert table["w"].to_dict() == pytest.approx({"everyone": 0, "a": 1, "b": 1}, abs=1e-12)
    assert table.loc["a", "icc"] == pytest.approx(1) and table.loc["everyone", "icc"] < 0
    with pytest.raises(BadInput):
        agreement_table(ratings, ["a"])
