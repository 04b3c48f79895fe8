from __future__ import annotations

import numpy as np
import pytest
from imbalanced import adaboost, clouds, fit, published_halves, recalls, two_points

from core.methods.ensemble.ada_cost import costs


def test_costs_are_ratios_of_class_sizes_and_the_largest_is_one():
    np.testing.assert_allclose(costs(np.array([90.0, 10.0]), 0.5), [[1 / 3, 1], [1 / 9, 1 / 3]])
    three = costs(np.array([90.0, 30.0, 10.0]), 1.0)
    np.testing.assert_allclose(three * 9, [[1, 3, 9], [1 / 3, 1, 3], [1 / 9, 1 / 3, 1]])


def test_a_class_without_rows_costs_one_and_leaves_the_others_finite():
    cost = costs(np.array([90.0, 0.0, 10.0]), 1.0)
    assert cost[1].tolist() == cost[:, 1].tolist() == [1, 1, 1] and cost[0, 2] == 1 and np.isfinite(cost).all()


def test_three_rounds_by_hand():
    """Weights of (six at 0, three at 1, the rare one). First all are named common: e = 1/10, the rare row weighs nine
    times as much at cost 1: (1/3, 1/6, 1/2). Then 1 is named rare: e = 1/6, and the three wrong rows, at cost
    (1/9)^(2 s) = 1/9, weigh 5^(1/9) times as much."""
    fitted = fit("ada_cost", *two_points(), strength=0.5, n_members=3)
    third = 5 ** (1 / 9) / 6
    np.testing.assert_allclose(fitted.facts["error"], [1 / 10, 1 / 6, third / (1 / 3 + third + 1 / 2)])
    plain = fit("ada_cost", *two_points(), strength=0.0, n_members=3)
    np.testing.assert_allclose(plain.facts["error"], [1 / 10, 1 / 6, 3 / 10])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(200, 40), (200, 60, 40)])
def test_strength_zero_is_scikit_learns_adaboost(sizes, weighted):
    x, y = clouds(sizes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    mine = fit("ada_cost", x, y, w, strength=0.0, n_members=20)(x)
    np.testing.assert_allclose(mine, adaboost(x, y, w).predict_proba(x), atol=1e-8)


@pytest.mark.parametrize("sizes", [(80, 80), (60, 60, 60)])
def test_equal_costs_are_scikit_learns_adaboost_at_any_strength(sizes):
    x, y = clouds(sizes)
    mine = fit("ada_cost", x, y, strength=1.0, n_members=20)(x)
    np.testing.assert_allclose(mine, adaboost(x, y).predict_proba(x), atol=1e-8)


@pytest.mark.parametrize("strength", [0.02, 0.05, 0.5, 2.0])
def test_unequal_costs_are_not_adaboost(strength):
    """The published package gives the same probabilities as AdaBoost, since its loop is never called."""
    x, y, x_test, _ = published_halves()
    mine = fit("ada_cost", x, y, strength=strength, n_members=20)(x_test)
    assert np.abs(mine - adaboost(x, y).predict_proba(x_test)).max() > 0.02


def test_recall_of_the_rare_class_grows_with_the_strength_up_to_naming_everybody():
    x, y, x_test, y_test = published_halves()
    rare = [recalls(fit("ada_cost", x, y, strength=s), x_test, y_test)[1] for s in (0.0, 0.05, 0.1, 1.0)]
    assert (np.diff(rare) > 0.1).all() and rare[-1] == 1


def test_a_weight_of_two_is_a_row_twice():
    x, y = clouds((100, 30, 20))
    twice = np.arange(150) % 3 == 0
    mine = fit("ada_cost", x, y, 1.0 + twice, n_members=10)(x)
    copies = fit("ada_cost", np.concatenate([x, x[twice]]), np.concatenate([y, y[twice]]), n_members=10)(x)
    np.testing.assert_allclose(mine, copies, atol=1e-8)
