from __future__ import annotations

import numpy as np
import pytest
from imbalanced import clouds, fit, line, one_point, published_halves, recalls
from sklearn.metrics import average_precision_score

from core.methods.ensemble._bagging import bag, tree_member
from core.methods.ensemble._members import Data
from core.methods.ensemble.self_paced import bins_of, choose, pace, paced, quotas


def data_of(x, y, w=None):
    n = int(y.max()) + 1
    return Data(x, y, y, np.ones(len(y)) if w is None else w, n, n)


def watched(data, rounds, k=5, depth=0):
    """(what every round drew, what it knew of the ensemble so far)."""
    pick, seen = choose(data, k, rounds), []

    def look(t, mean, rng):
        seen.append((pick(t, mean, rng), mean))
        return seen[-1][0]

    bag(data, rounds, look, tree_member(data.n_classes, depth), np.random.default_rng(0), watch=True)
    return zip(*seen, strict=True)


def test_alpha_runs_from_nothing_to_infinity():
    assert [pace(t, 5) for t in (0, 2, 4)] == [0, pytest.approx(1), float("inf")]
    assert pace(1, 5) == pytest.approx(np.tan(np.pi / 8))


def test_bins_have_equal_width():
    assert bins_of(np.array([0.1, 0.28, 0.5, 0.74, 0.9]), 4).tolist() == [0, 0, 2, 3, 3]
    assert bins_of(np.full(3, 0.4), 5).tolist() == [0, 0, 0]


def test_at_first_every_bin_carries_the_same_hardness():
    take = quotas(np.array([50, 0, 50, 50]), np.array([0.1, 0.0, 0.2, 0.4]), 0.0, 70)
    assert take.tolist() == [40, 0, 20, 10]


def test_in_between_alpha_is_added_and_at_last_every_bin_gives_the_same_number():
    n, mean = np.array([50, 50, 0]), np.array([0.1, 0.7, 0.0])
    assert quotas(n, mean, 0.1, 50).tolist() == [40, 10, 0]
    assert quotas(n, mean, float("inf"), 51).tolist() == [26, 25, 0]


def test_rows_are_drawn_by_the_quotas_and_weights_count_in_the_means():
    h, w = np.array([0.1] * 40 + [0.2] * 10 + [1.0] * 10), np.ones(60)
    rows = paced(h, w, 2, 0.0, 100, np.random.default_rng(0))  # means 0.12 and 1: shares 25 to 3
    assert len(rows) == 100 and (h[rows] == 1).sum() == 11
    w[40:50] = 36.0  # mean of the first bin 0.19
    assert (h[paced(h, w, 2, 0.0, 119, np.random.default_rng(0))] == 1).sum() == 19


@pytest.mark.parametrize("sizes", [(90, 20), (90, 30, 20)])
def test_every_round_has_as_many_rows_of_each_class_as_the_smallest_and_probabilities_in_between(sizes):
    """The mean of the trees so far sums to one: a mean that starts from an empty row would not."""
    x, y = clouds(sizes)
    samples, means = watched(data_of(x, y), 6, depth=3)
    assert all(s.counts.tolist() == [20] * len(sizes) for s in samples) and means[0] is None
    for mean in means[1:]:
        np.testing.assert_allclose(mean.sum(1), 1.0)
    assert fit("self_paced", x, y, n_members=4).counts.tolist() == [[20] * len(sizes)] * 4


def test_all_rows_of_the_smallest_class_are_in_every_sample():
    x, y = clouds((90, 20))
    samples, _ = watched(data_of(x, y), 5)
    for s in samples:
        assert np.isin(x[y == 1, 0], s.x[s.y == 1, 0]).all()


def test_wrong_labels_are_hard_and_late_trees_see_more_of_them():
    x, y = clouds((600, 60), apart=4.0)
    x[:20, 0] += 4.0  # rows of the large class that look rare
    samples, _ = watched(data_of(x, y), 10, depth=3)
    share = [s.w[np.isin(s.x[:, 0], x[:20, 0])].sum() / s.w[s.y == 0].sum() for s in samples]
    assert share[0] < 0.1 and np.mean(share[-3:]) > 0.2


def test_one_bin_is_under_bagging():
    """One tree has one row m of 0..8 and the rare one at 10, so x is named rare where (m + 10) / 2 < x."""
    p = fit("self_paced", *line(), k=1, n_members=400)(np.array([[4.9], [7.1], [8.9], [9.1]]))[:, 1]
    np.testing.assert_allclose(p, [0, 5 / 9, 8 / 9, 1], atol=0.08)


def test_balance_undoes_the_sums_of_weights():
    x, y, w = one_point()
    np.testing.assert_allclose(fit("self_paced", x, y, w, n_members=5)(x[:1]), [[0.5, 0.5]])


def test_groups_within_classes_are_balanced_on_demand():
    x, y = clouds((60, 30))
    attr = (np.arange(90) % 10 < 3).astype(int)
    assert fit("self_paced", x, y, attr=attr, by="group", n_members=3).counts.tolist() == [[9] * 4] * 3


def test_it_is_as_good_as_published_and_ranks_better_than_under_bagging():
    x, y, x_test, y_test = published_halves()
    mine, plain = (fit(n, x, y) for n in ("self_paced", "under_bagging"))
    assert recalls(mine, x_test, y_test).mean() == pytest.approx(0.775, abs=0.04)
    precision, plain = (average_precision_score(y_test, m(x_test)[:, 1]) for m in (mine, plain))
    assert precision == pytest.approx(0.465, abs=0.06) and precision > plain + 0.05


def test_the_seed_decides():
    x, y = clouds()
    one, same, other = (fit("self_paced", x, y, seed=s, n_members=5)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
