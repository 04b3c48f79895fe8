from __future__ import annotations

import numpy as np
import pytest
from imbalanced import clouds, fit, one_point, published_halves, recalls
from sklearn.metrics import average_precision_score

from core.methods.ensemble._bagging import bag, tree_member
from core.methods.ensemble._members import Data
from core.methods.ensemble.balance_cascade import choose, hardest, pool_size


def data_of(x, y):
    n = int(y.max()) + 1
    return Data(x, y, y, np.ones(len(y)), n, n)


def watched(data, rounds, depth=0):
    """(what every round drew, what it knew of the ensemble so far)."""
    pick, seen = choose(data, rounds), []

    def look(t, mean, rng):
        seen.append((pick(t, mean, rng), mean))
        return seen[-1][0]

    bag(data, rounds, look, tree_member(data.n_classes, depth), np.random.default_rng(0), watch=True)
    return zip(*seen, strict=True)


def test_pools_shrink_by_one_factor_down_to_the_smallest_class():
    assert [pool_size(1600, 100, t, 4) for t in range(5)] == [1600, 800, 400, 200, 100]
    assert pool_size(1000, 300, 1, 3) == 669  # floor(1000 * 0.3^(1/3))
    assert pool_size(100, 100, 2, 4) == 100
    assert all(pool_size(n, 7, 9, 9) == 7 for n in range(7, 300)), "no rounding below the smallest"


def test_the_hardest_rows_stay():
    h = np.array([0.9, 0.1, 0.5, 0.7, 0.5])
    assert hardest(np.arange(5), h, 2).tolist() == [0, 3]
    assert hardest(np.array([1, 2, 4]), h, 2).tolist() == [2, 4]


def test_what_is_put_away_by_hand_never_comes_back():
    """Sixteen rows against one in four rounds: 16, 8, 4, 2 rows are left, and the one drawn is among them."""
    x, y = np.arange(17.0)[:, None], np.repeat([0, 1], [16, 1])
    p = np.arange(17) / 20  # probability of class 1: row 15 is the hardest of class 0
    hard = np.stack([1 - p, p], 1)
    drawn = [[], [], [], []]
    for seed in range(60):
        pick, rng = choose(data_of(x, y), 4), np.random.default_rng(seed)
        for t in range(4):  # after the second round the ensemble finds all alike: the pool still holds the hardest
            s = pick(t, None if t == 0 else hard if t < 3 else np.full((17, 2), 0.5), rng)
            drawn[t] += s.x[s.y == 0, 0].tolist()
    assert set(drawn[0]) == set(range(16)) and set(drawn[1]) == set(range(8, 16))
    assert set(drawn[2]) == {12, 13, 14, 15} and set(drawn[3]) == {12, 13, 14, 15}


@pytest.mark.parametrize("sizes", [(90, 20), (90, 30, 20)])
def test_every_round_has_as_many_rows_of_each_class_as_the_smallest_and_probabilities_in_between(sizes):
    """The mean of the trees so far sums to one: a mean that starts from an empty row would not."""
    x, y = clouds(sizes)
    samples, means = watched(data_of(x, y), 6, depth=3)
    assert all(s.counts.tolist() == [20] * len(sizes) for s in samples) and means[0] is None
    for mean in means[1:]:
        np.testing.assert_allclose(mean.sum(1), 1.0)
    assert fit("balance_cascade", x, y, n_members=4).counts.tolist() == [[20] * len(sizes)] * 4


def test_wrong_labels_are_the_hardest_and_fill_late_samples():
    x, y = clouds((600, 60), apart=4.0)
    x[:20, 0] += 4.0  # rows of the large class that look rare
    samples, _ = watched(data_of(x, y), 10, depth=3)
    share = [np.isin(s.x[s.y == 0, 0], x[:20, 0]).mean() for s in samples]
    assert share[0] < 0.1 and share[-1] > 0.2


def test_balance_undoes_the_sums_of_weights():
    x, y, w = one_point()
    np.testing.assert_allclose(fit("balance_cascade", x, y, w, n_members=5)(x[:1]), [[0.5, 0.5]])


def test_groups_within_classes_have_pools_of_their_own():
    x, y = clouds((60, 30))
    attr = (np.arange(90) % 10 < 3).astype(int)
    assert fit("balance_cascade", x, y, attr=attr, by="group", n_members=3).counts.tolist() == [[9] * 4] * 3


def test_it_is_as_good_as_published_and_ranks_better_than_under_bagging():
    x, y, x_test, y_test = published_halves()
    mine, plain = ([fit(n, x, y, seed=s) for s in range(3)] for n in ("balance_cascade", "under_bagging"))
    assert np.mean([recalls(m, x_test, y_test) for m in mine]) == pytest.approx(0.790, abs=0.04)
    precision, plain = (np.mean([average_precision_score(y_test, m(x_test)[:, 1]) for m in ms]) for ms in (mine, plain))
    assert precision == pytest.approx(0.505, abs=0.06) and precision > plain + 0.1


def test_the_seed_decides():
    x, y = clouds()
    one, same, other = (fit("balance_cascade", x, y, seed=s, n_members=5)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
