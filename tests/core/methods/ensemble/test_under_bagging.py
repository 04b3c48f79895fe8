from __future__ import annotations

import numpy as np
import pytest
from imbalanced import clouds, fit, line, one_point, published_halves, recalls
from imblearn.ensemble import BalancedBaggingClassifier
from sklearn.tree import DecisionTreeClassifier


def test_one_rare_row_against_each_other_row_by_hand():
    """A tree has one row m of 0..8 and the rare row at 10, so x is named rare where (m + 10) / 2 < x."""
    p = fit("under_bagging", *line(), n_members=400)(np.array([[4.9], [7.1], [8.9], [9.1]]))[:, 1]
    np.testing.assert_allclose(p, [0, 5 / 9, 8 / 9, 1], atol=0.08)
    assert p[0] == 0 and p[3] == 1


@pytest.mark.parametrize("schedule", ["uniform", "progressive"])
def test_every_round_has_the_sizes_of_the_schedule(schedule):
    x, y = clouds((40, 8, 4))
    counts = fit("under_bagging", x, y, n_members=5, schedule=schedule, amount=1.0).counts
    steps = [[40, 8, 4], [31, 7, 4], [22, 6, 4], [13, 5, 4], [4, 4, 4]]
    assert counts.tolist() == (steps if schedule == "progressive" else [[4, 4, 4]] * 5)
    assert fit("under_bagging", x, y, n_members=1, amount=0.5).counts.tolist() == [[22, 6, 4]]


def test_weights_decide_where_features_cannot_and_balance_undoes_their_sums():
    x, y, w = one_point()
    as_they_are = fit("under_bagging", x, y, w, amount=0.0)(x[:1])
    np.testing.assert_allclose(as_they_are, [[8 / 14, 6 / 14]])
    np.testing.assert_allclose(fit("under_bagging", x, y, w)(x[:1]), [[0.5, 0.5]])


@pytest.mark.parametrize("replace", ["no", "yes"])
def test_it_agrees_with_imbalanced_learn(replace):
    x, y = clouds((200, 40, 30), features=2)
    mine = fit("under_bagging", x, y, n_members=150, replace=replace, depth=4)(x)
    tree = DecisionTreeClassifier(max_depth=4)
    theirs = BalancedBaggingClassifier(tree, n_estimators=150, bootstrap=False, replacement=replace == "yes",
                                       sampling_strategy="all", random_state=0)  # fmt: skip
    assert np.abs(mine - theirs.fit(x, y).predict_proba(x)).mean() < 0.02


def test_groups_within_classes_are_balanced_on_demand():
    x, y = clouds((60, 30))
    attr = (np.arange(90) % 10 < 3).astype(int)
    assert fit("under_bagging", x, y, attr=attr, by="group", n_members=2).counts.tolist() == [[9] * 4] * 2
    assert fit("under_bagging", x, y, attr=attr, n_members=2).counts.tolist() == [[30, 30]] * 2


def test_balanced_data_without_replacement_make_equal_trees_up_to_ties():
    x, y = clouds((50, 50), features=1)
    p = fit("under_bagging", x, y, n_members=10)(x)
    assert set(np.unique(p)) == {0.0, 1.0}, "every tree saw all rows and names each by its own class"


def test_the_rare_class_is_found_more_often_than_by_plain_bagging():
    x, y, x_test, y_test = published_halves()
    mine, plain = (recalls(fit("under_bagging", x, y, n_members=20, amount=a, replace="yes"), x_test, y_test)
                   for a in (1.0, 0.0))  # fmt: skip
    assert mine[1] > plain[1] + 0.2 and mine[0] < plain[0]


def test_the_seed_decides():
    x, y = clouds()
    one, same, other = (fit("under_bagging", x, y, seed=s, n_members=5)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
