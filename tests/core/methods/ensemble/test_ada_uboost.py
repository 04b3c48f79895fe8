from __future__ import annotations

import numpy as np
import pytest
from imbalanced import adaboost, clouds, fit, published_halves, recalls, two_points
from sklearn.metrics import average_precision_score


def test_three_rounds_by_hand():
    """Weights of (six at 0, three at 1, the rare one) start at (1/3, 1/6, 1/2): 1 is named rare, e = 1/6, and the three
    wrong rows weigh five times as much: (2, 5, 3)/10. All are named common, e = 3/10, and the rare row weighs
    (7/3)^(9^(-1/3)) times as much."""
    fitted = fit("ada_uboost", *two_points(), n_members=3)
    rare = 0.3 * (7 / 3) ** (9 ** (-1 / 3))
    np.testing.assert_allclose(fitted.facts["error"], [1 / 6, 3 / 10, rare / (0.7 + rare)])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(200, 40), (200, 60, 40)])
def test_strength_zero_is_scikit_learns_adaboost(sizes, weighted):
    x, y = clouds(sizes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    mine = fit("ada_uboost", x, y, w, strength=0.0, n_members=20)(x)
    np.testing.assert_allclose(mine, adaboost(x, y, w).predict_proba(x), atol=1e-8)


@pytest.mark.parametrize("sizes", [(80, 80), (60, 60, 60)])
def test_balanced_data_are_left_to_adaboost(sizes):
    x, y = clouds(sizes)
    mine = fit("ada_uboost", x, y, n_members=20)(x)
    np.testing.assert_allclose(mine, adaboost(x, y).predict_proba(x), atol=1e-8)


def test_it_is_neither_adaboost_nor_adaboost_on_balanced_weights():
    """The published package keeps the balanced start alone, since its loop is never called."""
    x, y = clouds((200, 30))
    mine = fit("ada_uboost", x, y, n_members=20)(x)
    assert np.abs(mine - adaboost(x, y).predict_proba(x)).max() > 0.02
    start = np.where(y == 1, 200 / 30, 1.0)
    assert np.abs(mine - adaboost(x, y, start).predict_proba(x)).max() > 0.002


def test_the_first_member_sees_balanced_weights():
    x, y = clouds((200, 60, 40))
    mine = fit("ada_uboost", x, y, n_members=1)(x)
    start = 200 / np.array([200, 60, 40])[y]
    assert np.array_equal(mine.argmax(1), adaboost(x, y, start, rounds=1).predict(x))


def test_groups_within_classes_can_start_alike():
    x, y = clouds((60, 40))
    attr = (np.arange(100) % 5 == 0).astype(int)
    by_group = fit("ada_uboost", x, y, attr=attr, by="group", n_members=1)
    mass = 1 / np.bincount(y * 2 + attr)[y * 2 + attr]
    wrong = by_group(x).argmax(1) != y
    assert by_group.facts["error"][0] == pytest.approx(mass[wrong].sum() / mass.sum())


def test_more_of_the_rare_class_is_found_and_the_ranking_stays():
    x, y, x_test, y_test = published_halves()
    models = [fit("ada_uboost", x, y, strength=s) for s in (0.0, 1.0)]
    plain, mine = (recalls(m, x_test, y_test) for m in models)
    assert mine[1] > plain[1] + 0.3 and mine[0] < plain[0]
    ranking = [average_precision_score(y_test, m(x_test)[:, 1]) for m in models]
    assert ranking[1] == pytest.approx(ranking[0], abs=0.03)


def test_a_weight_of_two_is_a_row_twice():
    x, y = clouds((100, 30, 20))
    twice = np.arange(150) % 3 == 0
    mine = fit("ada_uboost", x, y, 1.0 + twice, n_members=10)(x)
    copies = fit("ada_uboost", np.concatenate([x, x[twice]]), np.concatenate([y, y[twice]]), n_members=10)(x)
    np.testing.assert_allclose(mine, copies, atol=1e-8)
