from __future__ import annotations

import numpy as np
import pytest
from imbalanced import adaboost, clouds, fit, published_halves, recalls, two_points


@pytest.mark.parametrize(
    ("settings", "error", "named"),
    [
        ({"amount": 0.0}, 1 / 10, 0),  # the rare row is missed
        ({}, 3 / 10, 1),  # nine copies against three rows at the same place: these three are wrong
        ({"amount": 0.5}, 3 / 10, 1),  # five copies
        ({"judge": "sample"}, 3 / 18, 1),
    ],
)
def test_error_and_vote_of_the_first_member_by_hand(settings, error, named):
    fitted = fit("over_boost", *two_points(), n_members=1, **settings)
    assert fitted.facts["error"][0] == pytest.approx(error)
    assert fitted.facts["vote"][0] == pytest.approx(np.log((1 - error) / error))
    assert fitted(np.array([[0.0], [1.0]])).argmax(1).tolist() == [0, named]
    assert fitted(np.array([[0.0]]))[0, 0] == pytest.approx(1 / (1 + np.exp(-2)))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(200, 40), (200, 60, 40)])
def test_amount_zero_is_scikit_learns_adaboost(sizes, weighted):
    x, y = clouds(sizes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    mine = fit("over_boost", x, y, w, amount=0.0, n_members=20)(x)
    np.testing.assert_allclose(mine, adaboost(x, y, w).predict_proba(x), atol=1e-8)


def test_balanced_data_are_left_to_adaboost():
    x, y = clouds((80, 80))
    np.testing.assert_allclose(fit("over_boost", x, y, n_members=20)(x), adaboost(x, y).predict_proba(x), atol=1e-8)


def test_all_rows_stay_and_small_classes_grow():
    x, y = clouds((40, 8, 4), apart=0.7)
    fitted = fit("over_boost", x, y, n_members=3, schedule="progressive", judge="sample")
    assert fitted.counts.tolist() == [[40, 8, 4], [40, 24, 22], [40, 40, 40]]


def test_where_copies_come_out_even_it_is_adaboost_with_balanced_weights_at_first():
    """90 against 30 rows: every rare one three times, so the first member is a stump on balanced weights."""
    x, y = clouds((90, 30))
    first = fit("over_boost", x, y, n_members=1)(x).argmax(1)
    assert np.array_equal(first, adaboost(x, y, np.where(y == 1, 3.0, 1.0), rounds=1).predict(x))


def test_more_of_the_rare_class_is_found_than_by_adaboost_and_useless_members_are_dropped():
    x, y, x_test, y_test = published_halves()
    plain, mine = (fit("over_boost", x, y, n_members=20, amount=a) for a in (0.0, 1.0))
    assert recalls(mine, x_test, y_test)[1] > recalls(plain, x_test, y_test)[1] + 0.3
    error, vote = mine.facts["error"], mine.facts["vote"]
    assert len(vote) == 20 and (vote[error >= 0.5] == 0).all() and (vote[error < 0.5] > 0).all()


def test_rows_without_weight_teach_nothing():
    """Two copies of a hundred rows, half of them real, count as three copies of the fifty real ones."""
    x, y = clouds((150, 50))
    lies = np.concatenate([x, x[150:] + 3.0, x[:50] - 3.0]), np.concatenate([y, np.repeat([0, 1], 50)])
    w = np.repeat([1.0, 1e-9], [200, 100])
    heard, ignored = (fit("over_boost", *lies, v, n_members=10)(x) for v in (None, w))
    clean = fit("over_boost", x, y, n_members=10)(x)
    np.testing.assert_allclose(ignored, clean, atol=1e-4)
    assert np.abs(heard - clean).max() > 0.05


@pytest.mark.parametrize(("sizes", "differ"), [((100, 70, 40), True), ((300, 60, 30), False)])
def test_the_seed_decides_unless_copies_come_out_even(sizes, differ):
    x, y = clouds(sizes)
    one, same, other = (fit("over_boost", x, y, seed=s, n_members=20, depth=2)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same)
    assert np.allclose(one, other) != differ
