from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from core.audit.recalibration import ScoredRows, expit, fit_lines, line_shares, logit


def scored(rng, n=600, groups=3, weighted=False):
    score, code = rng.beta(2, 3, n), rng.integers(0, groups, n)
    y = (rng.random(n) < expit(0.3 * code + (0.6 + 0.3 * code) * logit(score))).astype(float)
    w = rng.uniform(0.5, 3, n) if weighted else np.ones(n)
    return ScoredRows(score, y, w, code, np.arange(n), groups)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_lines_are_those_of_an_unpenalised_logistic_regression(rng, weighted):
    made = scored(rng, weighted=weighted)
    lines, reasons = fit_lines(made)
    assert reasons == [None] * 3
    for g in range(3):
        here = made.code == g
        other = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(
            logit(made.score[here])[:, None], made.y[here], made.w[here])
        np.testing.assert_allclose(lines[g], [other.intercept_[0], other.coef_[0, 0]], rtol=1e-4, atol=1e-5)


def test_weights_are_repeated_rows_for_the_line(rng):
    made = scored(rng)
    w = rng.integers(1, 4, len(made.y))
    again = ScoredRows(*(np.repeat(v, w) for v in (made.score, made.y, made.w, made.code, made.unit)), made.groups)
    weighted = ScoredRows(made.score, made.y, w.astype(float), made.code, made.unit, made.groups)
    np.testing.assert_allclose(fit_lines(weighted)[0], fit_lines(again)[0], atol=1e-9)
    one, two = (m.per_unit(line_shares(m, fit_lines(m)[0]), m.code[:, None] * 2 + np.arange(2), 6)
                for m in (weighted, again))
    np.testing.assert_allclose(one, two, rtol=0.02)  # rows of a unit are taken together; n / (n - 2) differs


def test_a_group_without_a_finite_line_says_why():
    score = np.array([.2, .4, .6, .8, .3, .7, .1, .2, .8, .9, .5, .5, .5, .1, .4, .3])
    y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0.])
    code = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 5, 5, 5])
    lines, reasons = fit_lines(ScoredRows(score, y, np.ones(16), code, np.arange(16), 6))
    assert reasons == ["0 negatives", "0 positives", "the scores part the classes completely", "one score", "no rows",
                       "the scores part the classes completely"]
    assert np.isnan(lines).all()


def test_the_shares_give_the_spread_of_repeated_samples():
    """The sandwich's standard errors match the spread of estimates over 400 samples within 15 %."""
    found, spreads = [], []
    for seed in range(400):
        made = scored(np.random.default_rng(seed), n=400, groups=1)
        lines, _ = fit_lines(made)
        cell = made.code[:, None] * 2 + np.arange(2)
        found.append(lines[0])
        spreads.append(np.sqrt(made.per_unit(line_shares(made, lines), cell, 2).diagonal()))
    np.testing.assert_allclose(np.mean(spreads, 0), np.std(found, 0), rtol=0.15)


def test_scores_of_zero_and_one_are_kept_off_the_edge():
    assert logit(np.array([0.0, 0.5, 1.0])).tolist() == pytest.approx([-13.8155, 0.0, 13.8155], abs=1e-3)
    assert expit(np.array([-800.0, 0.0, 800.0])).tolist() == [0.0, 0.5, 1.0]
