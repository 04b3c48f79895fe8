from __future__ import annotations

import numpy as np
import pytest
from imbalanced import adaboost, clouds, fit, published_halves, recalls, two_points


@pytest.mark.parametrize(
    ("settings", "error", "named"),
    [({"amount": 0.0}, 1 / 10, 0), ({}, 3 / 10, 1), ({"amount": 0.5}, 3 / 10, 1), ({"judge": "sample"}, 3 / 18, 1)],
)
def test_a_single_rare_row_is_repeated_and_error_and_vote_are_those_by_hand(settings, error, named):
    """Six rows of class 0 at 0; at 1 three, and the rare one with its copies."""
    fitted = fit("smote_boost", *two_points(), n_members=1, **settings)
    assert fitted.facts["error"][0] == pytest.approx(error)
    assert fitted.facts["vote"][0] == pytest.approx(np.log((1 - error) / error))
    assert fitted(np.array([[0.0], [1.0]])).argmax(1).tolist() == [0, named]


def test_three_rare_rows_where_five_neighbours_are_asked_for_have_two():
    x, y = clouds((30, 3))
    five, two = (fit("smote_boost", x, y, k=k, n_members=5, judge="sample") for k in (5, 2))
    np.testing.assert_array_equal(five(x), two(x))
    assert five.counts.tolist()[0] == [30, 30]


def test_new_points_fill_the_way_between_two_rare_rows():
    """Two rare rows at 0 and 10 become thirty, nearly all between; two others at 5 are outnumbered there."""
    x = np.array([0.0, 10.0, *[-10.0] * 14, *[20.0] * 14, *[5.0] * 2])[:, None]
    y = np.repeat([1, 0], [2, 30])
    p = fit("smote_boost", x, y, n_members=1, depth=3, judge="sample")(np.array([[4.0], [6.0], [-9.0], [19.0]]))
    assert p.argmax(1).tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(200, 40), (200, 60, 40)])
def test_amount_zero_is_scikit_learns_adaboost(sizes, weighted):
    x, y = clouds(sizes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    mine = fit("smote_boost", x, y, w, amount=0.0, n_members=20)(x)
    np.testing.assert_allclose(mine, adaboost(x, y, w).predict_proba(x), atol=1e-8)


def test_balanced_data_are_left_to_adaboost():
    x, y = clouds((80, 80))
    np.testing.assert_allclose(fit("smote_boost", x, y, n_members=20)(x), adaboost(x, y).predict_proba(x), atol=1e-8)


def test_samples_follow_the_schedule():
    x, y = clouds((40, 8, 4), apart=0.7)
    fitted = fit("smote_boost", x, y, n_members=3, schedule="progressive", judge="sample")
    assert fitted.counts.tolist() == [[40, 8, 4], [40, 24, 22], [40, 40, 40]]


def test_it_is_as_good_as_published_where_members_are_judged_on_their_samples():
    x, y, x_test, y_test = published_halves()
    recall = recalls(fit("smote_boost", x, y, judge="sample"), x_test, y_test)
    assert recall.mean() == pytest.approx(0.719, abs=0.05)


def test_rows_without_weight_teach_nothing():
    x, y = clouds((150, 50))
    lies = np.concatenate([x, x[150:] + 3.0, x[:50] - 3.0]), np.concatenate([y, np.repeat([0, 1], 50)])
    w = np.repeat([1.0, 1e-9], [200, 100])
    heard, ignored = (recalls(fit("smote_boost", *lies, v, n_members=10), x, y).mean() for v in (None, w))
    assert ignored > heard + 0.05 and ignored > 0.7


def test_the_seed_decides():
    x, y = clouds()
    one, same, other = (fit("smote_boost", x, y, seed=s, n_members=5)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
