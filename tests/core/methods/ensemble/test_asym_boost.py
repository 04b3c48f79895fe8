from __future__ import annotations

import numpy as np
import pytest
from imbalanced import adaboost, clouds, fit, published_halves, recalls, two_points


def test_two_rounds_by_hand():
    """Strength 2 and two rounds tilt by 9 each. Weights of (six at 0, three at 1, the rare one) start at (6, 3, 9)/18:
    1 is named rare, e = 1/6; the three wrong rows weigh five times as much and the rare one is tilted again:
    (6, 15, 81)/102, and 1 is named rare once more."""
    fitted = fit("asym_boost", *two_points(), strength=2.0, n_members=2)
    np.testing.assert_allclose(fitted.facts["error"], [1 / 6, 15 / 102])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(200, 40), (200, 60, 40)])
def test_strength_zero_is_scikit_learns_adaboost(sizes, weighted):
    x, y = clouds(sizes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    mine = fit("asym_boost", x, y, w, strength=0.0, n_members=20)(x)
    np.testing.assert_allclose(mine, adaboost(x, y, w).predict_proba(x), atol=1e-8)


@pytest.mark.parametrize("sizes", [(80, 80), (60, 60, 60)])
def test_balanced_data_are_left_to_adaboost(sizes):
    x, y = clouds(sizes)
    mine = fit("asym_boost", x, y, n_members=20)(x)
    np.testing.assert_allclose(mine, adaboost(x, y).predict_proba(x), atol=1e-8)


@pytest.mark.parametrize("strength", [0.5, 1.0, 2.0])
def test_unequal_sizes_are_not_adaboost(strength):
    """The published package gives the same probabilities as AdaBoost, since its loop is never called."""
    x, y, x_test, _ = published_halves()
    mine = fit("asym_boost", x, y, strength=strength, n_members=20)(x_test)
    assert np.abs(mine - adaboost(x, y).predict_proba(x_test)).max() > 0.02


def test_one_round_is_adaboost_on_balanced_weights():
    x, y = clouds((200, 60, 40))
    mine = fit("asym_boost", x, y, n_members=1)(x)
    start = 200 / np.array([200, 60, 40])[y]
    assert np.array_equal(mine.argmax(1), adaboost(x, y, start, rounds=1).predict(x))


def test_groups_within_classes_can_be_tilted():
    x, y = clouds((60, 40))
    attr = (np.arange(100) % 5 == 0).astype(int)
    by_group = fit("asym_boost", x, y, attr=attr, by="group", n_members=1)
    mass = 1 / np.bincount(y * 2 + attr)[y * 2 + attr]
    wrong = by_group(x).argmax(1) != y
    assert by_group.facts["error"][0] == pytest.approx(mass[wrong].sum() / mass.sum())


def test_recall_of_the_rare_class_grows_with_the_strength():
    x, y, x_test, y_test = published_halves()
    rare = [recalls(fit("asym_boost", x, y, strength=s), x_test, y_test)[1] for s in (0.0, 0.5, 1.0, 2.0)]
    assert (np.diff(rare) > 0).all() and rare[2] > rare[0] + 0.3


def test_a_weight_of_two_is_a_row_twice():
    x, y = clouds((100, 30, 20))
    twice = np.arange(150) % 3 == 0
    mine = fit("asym_boost", x, y, 1.0 + twice, n_members=10)(x)
    copies = fit("asym_boost", np.concatenate([x, x[twice]]), np.concatenate([y, y[twice]]), n_members=10)(x)
    np.testing.assert_allclose(mine, copies, atol=1e-8)
