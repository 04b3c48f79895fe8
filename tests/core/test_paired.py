from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from core.gaps import difference
from core.inference import auc_interval
from core.paired import auc_covariance, auc_difference, mcnemar, p_of, paired_difference


def test_the_interval_of_newcombes_own_example():
    low, high = paired_difference(38 / 50, 48 / 50, 36 / 50, 50)
    assert (round(float(low), 4), round(float(high), 4)) == (0.0569, 0.3404)


def test_rates_that_are_not_correlated_have_the_interval_of_two_samples():
    a, b, n = 0.4, 0.7, 200
    found = paired_difference(a, b, a * b, n)
    assert np.allclose(found, difference(b, n, a, n))


@given(st.lists(st.integers(0, 60), min_size=4, max_size=4).filter(sum))
def test_swapping_the_models_turns_the_interval_round_and_it_holds_the_difference(cells):
    both, only_a, only_b, _ = cells
    n = sum(cells)
    a, b = (both + only_a) / n, (both + only_b) / n
    low, high = paired_difference(a, b, both / n, n)
    back = paired_difference(b, a, both / n, n)
    assert low - 1e-12 <= b - a <= high + 1e-12
    assert np.allclose([-back[1], -back[0]], [low, high])


@pytest.mark.parametrize("n", [20, 100, 1000])
@pytest.mark.parametrize("cells", [(0.6, 0.1, 0.1), (0.8, 0.05, 0.1), (0.3, 0.3, 0.1)])
def test_the_interval_covers_the_truth_at_least_about_as_often_as_it_says(n, cells):
    both, only_a, only_b = cells
    drawn = np.random.default_rng(n).multinomial(n, [*cells, 1 - sum(cells)], size=2000) / n
    low, high = paired_difference(drawn[:, 0] + drawn[:, 1], drawn[:, 0] + drawn[:, 2], drawn[:, 0], n)
    truth = only_b - only_a
    assert ((low <= truth) & (truth <= high)).mean() > 0.935


def test_equal_models_differ_by_nothing_and_no_rows_leave_it_open():
    low, high = paired_difference(0.8, 0.8, 0.8, 1000)
    assert low <= 0 <= high and high - low < 0.01
    assert np.isnan(paired_difference(0.5, 0.5, 0.5, 0)).all()


def test_mcnemar_is_the_mid_p_of_the_binomial():
    exact = stats.binomtest(2, 14).pvalue
    assert mcnemar(2, 12) == pytest.approx(exact - stats.binom.pmf(2, 14, 0.5))
    assert mcnemar(np.array([0, 3, 12]), np.array([0, 3, 2])).tolist()[:2] == [1.0, 1.0]
    assert mcnemar(12, 2) == mcnemar(2, 12)


def test_mcnemar_refuses_a_true_null_about_as_often_as_it_says():
    drawn = np.random.default_rng(0).binomial(60, 0.5, 4000)
    assert 0.03 < (mcnemar(drawn, 60 - drawn) < 0.05).mean() < 0.06


def test_areas_and_variances_are_those_of_each_model_alone(rng):
    y, w = rng.integers(0, 2, 300), rng.uniform(0.2, 2, 300)
    scores = np.stack([rng.normal(size=300) + y, np.round(rng.normal(size=300) + 0.5 * y, 1)])
    area, covariance = auc_covariance(scores, y, w)
    for k in range(2):
        assert area[k] == pytest.approx(roc_auc_score(y, scores[k], sample_weight=w))
        _, low, high = auc_interval(scores[k], y, w)
        assert high - low == pytest.approx(2 * 1.959964 * np.sqrt(covariance[k, k]), rel=1e-5)
    assert covariance[0, 1] == covariance[1, 0]


def test_the_paired_interval_of_areas_has_the_width_of_drawing_rows_again(rng):
    y = rng.integers(0, 2, 400)
    first = rng.normal(size=400) + y
    scores = np.stack([first, first + 0.5 * rng.normal(size=400)])
    difference, low, high, p = auc_difference(scores, y)
    rows = rng.integers(0, 400, (400, 400))
    drawn = [roc_auc_score(y[r], scores[1, r]) - roc_auc_score(y[r], scores[0, r]) for r in rows]
    assert (high - low) / 3.92 == pytest.approx(np.std(drawn), rel=0.15)
    assert difference == pytest.approx(roc_auc_score(y, scores[1]) - roc_auc_score(y, scores[0]))
    assert p == pytest.approx(p_of(difference, (high - low) / 2 / 1.959964), rel=1e-3)


def test_one_class_leaves_areas_undefined_and_one_row_leaves_the_interval():
    assert np.isnan(auc_difference(np.ones((2, 3)), np.ones(3))).all()
    difference, low, _, p = auc_difference(np.array([[0.1, 0.2, 0.9], [0.9, 0.2, 0.1]]), np.array([0, 0, 1]))
    assert difference == -1 and np.isnan([low, p]).all()


def test_the_same_scores_twice_differ_by_nothing(rng):
    score = rng.normal(size=50)
    assert auc_difference(np.stack([score, score]), rng.integers(0, 2, 50)) == (0.0, 0.0, 0.0, 1.0)
    assert p_of(0.1, 0.0) == 0.0
