from __future__ import annotations

import numpy as np
import pytest
from imbalanced import clouds, fit, line, one_point, published_halves, recalls
from imblearn.ensemble import BalancedRandomForestClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score


def test_one_rare_row_against_each_other_row_by_hand():
    """A tree has one row m of 0..8 and the rare row at 10, so x is named rare where (m + 10) / 2 < x."""
    p = fit("balanced_forest", *line(), n_members=400)(np.array([[4.9], [7.1], [8.9], [9.1]]))[:, 1]
    np.testing.assert_allclose(p, [0, 5 / 9, 8 / 9, 1], atol=0.08)
    assert p[0] == 0 and p[3] == 1


@pytest.mark.parametrize("sizes", [(200, 40), (200, 40, 30)])
def test_it_agrees_with_imbalanced_learn(sizes):
    """Up to what two seeds of one's own differ by."""
    x, y = clouds(sizes)
    mine, again = (fit("balanced_forest", x, y, n_members=150, depth=4, seed=s)(x) for s in (0, 1))
    theirs = BalancedRandomForestClassifier(150, max_depth=4, replacement=True, sampling_strategy="all",
                                            bootstrap=False, random_state=0)  # fmt: skip
    gap = np.abs(mine - theirs.fit(x, y).predict_proba(x)).mean()
    assert gap < 1.3 * np.abs(mine - again).mean() < 0.05


def test_without_balancing_it_is_scikit_learns_random_forest():
    x, y = clouds((120, 60, 40))
    mine = fit("balanced_forest", x, y, n_members=150, amount=0.0, depth=4)(x)
    theirs = RandomForestClassifier(150, max_depth=4, random_state=0).fit(x, y).predict_proba(x)
    assert np.abs(mine - theirs).mean() < 0.025


def test_with_one_feature_it_is_under_bagging_with_replacement_and_with_more_it_is_not():
    for features, same in ((1, True), (4, False)):
        x, y = clouds((100, 30), features=features)
        forest = fit("balanced_forest", x, y, n_members=5)
        bagged = fit("under_bagging", x, y, n_members=5, replace="yes")
        assert np.array_equal(forest(x), bagged(x)) == same


def test_every_round_has_the_sizes_of_the_schedule():
    x, y = clouds((40, 8, 4))
    steps = [[40, 8, 4], [31, 7, 4], [22, 6, 4], [13, 5, 4], [4, 4, 4]]
    assert fit("balanced_forest", x, y, n_members=5, schedule="progressive").counts.tolist() == steps
    assert fit("balanced_forest", x, y, n_members=2).counts.tolist() == [[4, 4, 4]] * 2


def test_weights_decide_where_features_cannot_and_balance_undoes_their_sums():
    x, y, w = one_point()
    as_they_are = fit("balanced_forest", x, y, w, amount=0.0)(x[:1])
    np.testing.assert_allclose(as_they_are, [[8 / 14, 6 / 14]])
    np.testing.assert_allclose(fit("balanced_forest", x, y, w)(x[:1]), [[0.5, 0.5]])


def test_groups_within_classes_are_balanced_on_demand():
    x, y = clouds((60, 30))
    attr = (np.arange(90) % 10 < 3).astype(int)
    assert fit("balanced_forest", x, y, attr=attr, by="group", n_members=2).counts.tolist() == [[9] * 4] * 2


def test_it_is_as_good_as_published():
    """0.792 and 0.341 in one package, 0.768 and 0.363 in another."""
    x, y, x_test, y_test = published_halves()
    models = [fit("balanced_forest", x, y, seed=s) for s in range(3)]
    assert np.mean([recalls(m, x_test, y_test) for m in models]) == pytest.approx(0.780, abs=0.04)
    precision = [average_precision_score(y_test, m(x_test)[:, 1]) for m in models]
    assert np.mean(precision) == pytest.approx(0.352, abs=0.06)


def test_the_seed_decides():
    x, y = clouds()
    one, same, other = (fit("balanced_forest", x, y, seed=s, n_members=5)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
