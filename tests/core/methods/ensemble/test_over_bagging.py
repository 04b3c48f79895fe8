from __future__ import annotations

import numpy as np
import pytest
from imbalanced import clouds, fit, line, one_point, published_halves, recalls
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier


def test_nine_draws_of_nine_rows_by_hand():
    """The threshold lies between the largest row drawn, m, and the rare one at 10: x is rare where m < 2 x - 10."""
    p = fit("over_bagging", *line(), n_members=400)(np.array([[7.1], [8.4], [8.9], [9.1]]))[:, 1]
    np.testing.assert_allclose(p, [(5 / 9) ** 9, (7 / 9) ** 9, (8 / 9) ** 9, 1], atol=0.08)
    assert p[3] == 1


def test_sizes_grow_to_the_largest_class():
    x, y = clouds((40, 8, 4))
    steps = [[40, 8, 4], [40, 24, 22], [40, 40, 40]]
    assert fit("over_bagging", x, y, n_members=3, schedule="progressive").counts.tolist() == steps
    assert fit("over_bagging", x, y, n_members=3).counts.tolist() == [[40] * 3] * 3


@pytest.mark.parametrize("sizes", [(120, 40), (90, 50, 40)])
def test_without_balancing_it_is_scikit_learns_bagging(sizes):
    x, y = clouds(sizes, features=2)
    mine = fit("over_bagging", x, y, n_members=150, amount=0.0, depth=4)(x)
    theirs = BaggingClassifier(DecisionTreeClassifier(max_depth=4), n_estimators=150, random_state=0).fit(x, y)
    assert np.abs(mine - theirs.predict_proba(x)).mean() < 0.02


def test_balanced_data_are_left_alone():
    x, y = clouds((30, 30, 30))
    np.testing.assert_array_equal(*(fit("over_bagging", x, y, n_members=5, amount=a)(x) for a in (0.0, 1.0)))


def test_weights_decide_where_features_cannot_and_balance_undoes_their_sums():
    x, y, w = one_point()
    as_they_are = fit("over_bagging", x, y, w, amount=0.0)(x[:1])
    np.testing.assert_allclose(as_they_are, [[8 / 14, 6 / 14]])
    np.testing.assert_allclose(fit("over_bagging", x, y, w)(x[:1]), [[0.5, 0.5]])


def test_recall_of_the_rare_class_rises_less_than_by_under_bagging():
    x, y, x_test, y_test = published_halves()
    cases = ("over_bagging", {"amount": 0.0}), ("over_bagging", {}), ("under_bagging", {})
    plain, over, under = (recalls(fit(n, x, y, n_members=20, **s), x_test, y_test)[1] for n, s in cases)
    assert plain < over < under - 0.1


def test_the_seed_decides():
    x, y = clouds()
    one, same, other = (fit("over_bagging", x, y, seed=s, n_members=5)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
