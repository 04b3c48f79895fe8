from __future__ import annotations

import numpy as np
import pytest
from imbalanced import adaboost, clouds, fit, line, one_point, published_halves, recalls
from imblearn.ensemble import EasyEnsembleClassifier
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import average_precision_score
from sklearn.tree import DecisionTreeClassifier


def test_one_rare_row_against_each_other_row_by_hand():
    """A stump has one row m of 0..8 and the rare row at 10 and makes no error: it names x rare where (m + 10) / 2 < x,
    with probability 1 / (1 + exp(-2))."""
    p = fit("easy_ensemble", *line(), n_members=100)(np.array([[4.9], [7.1], [9.1]]))[:, 1]
    sure = 1 / (1 + np.exp(-2))
    np.testing.assert_allclose(p[[0, 2]], [1 - sure, sure])
    assert p[1] == pytest.approx((5 * sure + 4 * (1 - sure)) / 9, abs=0.1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(80, 80), (60, 60, 60)])
def test_on_balanced_data_it_is_scikit_learns_adaboost(sizes, weighted):
    x, y = clouds(sizes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    w /= np.bincount(y, w)[y]  # balance is of weights too
    mine = fit("easy_ensemble", x, y, w, n_members=3, rounds=15)(x)
    np.testing.assert_allclose(mine, adaboost(x, y, w, rounds=15).predict_proba(x), atol=1e-8)


def test_amount_zero_is_scikit_learns_adaboost():
    x, y = clouds((200, 60, 40))
    mine = fit("easy_ensemble", x, y, amount=0.0, n_members=2, rounds=20, depth=2)(x)
    np.testing.assert_allclose(mine, adaboost(x, y, rounds=20, depth=2).predict_proba(x), atol=1e-8)


@pytest.mark.parametrize("sizes", [(200, 50), (200, 60, 40)])
def test_it_agrees_with_imbalanced_learn(sizes):
    """Up to what two seeds of one's own differ by."""
    x, y = clouds(sizes)
    mine, again = (fit("easy_ensemble", x, y, n_members=30, rounds=5, seed=s)(x) for s in (0, 1))
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=5)
    theirs = EasyEnsembleClassifier(30, boosted, random_state=0).fit(x, y).predict_proba(x)
    assert np.abs(mine - theirs).mean() < 1.3 * np.abs(mine - again).mean() < 0.04


def test_every_round_has_the_sizes_of_the_schedule():
    x, y = clouds((40, 8, 4))
    steps = [[40, 8, 4], [31, 7, 4], [22, 6, 4], [13, 5, 4], [4, 4, 4]]
    assert fit("easy_ensemble", x, y, n_members=5, schedule="progressive").counts.tolist() == steps
    assert fit("easy_ensemble", x, y, n_members=2).counts.tolist() == [[4, 4, 4]] * 2


def test_where_features_cannot_decide_the_class_shares_of_the_weights_are_the_answer():
    x, y, w = one_point()
    np.testing.assert_allclose(fit("easy_ensemble", x, y, w)(x[:1]), [[0.5, 0.5]])
    np.testing.assert_allclose(fit("easy_ensemble", x, y, np.ones(10))(x[:1]), [[0.5, 0.5]])


def test_groups_within_classes_are_balanced_on_demand():
    x, y = clouds((60, 30))
    attr = (np.arange(90) % 10 < 3).astype(int)
    assert fit("easy_ensemble", x, y, attr=attr, by="group", n_members=2).counts.tolist() == [[9] * 4] * 2


def test_stumps_cannot_rank_what_depends_on_two_features_together():
    x = np.random.default_rng(0).normal(size=(1200, 2))
    rare = (x[:, 0] * x[:, 1] > 0) & (np.arange(1200) % 5 == 0)
    keep = rare | (x[:, 0] * x[:, 1] <= 0)
    x, y = x[keep], rare[keep].astype(int)
    right = [recalls(fit("easy_ensemble", x, y, depth=d, n_members=10), x, y).mean() for d in (1, 2)]
    assert right[0] < 0.7 and right[1] > 0.9


def test_it_is_as_good_as_published():
    x, y, x_test, y_test = published_halves()
    fitted = fit("easy_ensemble", x, y)
    assert recalls(fitted, x_test, y_test).mean() == pytest.approx(0.727, abs=0.04)
    assert average_precision_score(y_test, fitted(x_test)[:, 1]) == pytest.approx(0.191, abs=0.06)


def test_the_seed_decides():
    x, y = clouds()
    one, same, other = (fit("easy_ensemble", x, y, seed=s, n_members=5)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
