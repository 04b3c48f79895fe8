from __future__ import annotations

import numpy as np
import pytest
from imbalanced import adaboost, clouds, fit, line, published_halves, recalls
from imblearn.ensemble import RUSBoostClassifier
from sklearn.tree import DecisionTreeClassifier


def test_error_and_vote_of_the_first_member_by_hand():
    """One row m of 0..8 and the rare one at 10 give the threshold (m + 10) / 2, and the rows above it are wrong:
    3, 3, 2, 2, 1, 1, 0, 0, 0 of ten for m = 0..8."""
    facts = [fit("rus_boost", *line(), n_members=1, seed=s).facts for s in range(200)]
    error = np.array([f["error"][0] for f in facts])
    assert set(np.round(error, 9)) == {0.0, 0.1, 0.2, 0.3}
    assert error.mean() == pytest.approx(12 / 90, abs=0.025)
    for e, f in zip(error, facts, strict=True):
        assert f["vote"][0] == pytest.approx(np.log((1 - e) / e) if e > 0 else np.log(1e10))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(200, 40), (200, 60, 40)])
def test_amount_zero_is_scikit_learns_adaboost(sizes, weighted):
    x, y = clouds(sizes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    mine = fit("rus_boost", x, y, w, amount=0.0, n_members=20)(x)
    np.testing.assert_allclose(mine, adaboost(x, y, w).predict_proba(x), atol=1e-8)


def test_balanced_data_are_left_to_adaboost():
    x, y = clouds((80, 80))
    np.testing.assert_allclose(fit("rus_boost", x, y, n_members=20)(x), adaboost(x, y).predict_proba(x), atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_members_worse_than_guessing_get_no_vote_and_the_ensemble_is_not_turned_upside_down(seed):
    """5 % positive: negative votes once gave accuracy 0.05 elsewhere, and stopping leaves one or two members."""
    x, y, x_test, y_test = published_halves()
    fitted = fit("rus_boost", x, y, n_members=20, seed=seed)
    error, vote = fitted.facts["error"], fitted.facts["vote"]
    assert len(vote) == 20 and (vote[error >= 0.5] == 0).all() and (vote[error < 0.5] > 0).all()
    assert (vote == 0).any() and (vote > 0).sum() > 5
    recall = recalls(fitted, x_test, y_test)
    assert recall.mean() > 0.65 and recall.min() > 0.4


def test_judged_on_their_samples_members_stay():
    x, y, *_ = published_halves()
    kept = [(fit("rus_boost", x, y, n_members=20, judge=j).facts["vote"] > 0).sum() for j in ("all", "sample")]
    assert kept[0] < 20 == kept[1]


def test_where_no_member_fails_it_agrees_with_imbalanced_learn():
    x, y = clouds((200, 100), apart=2.5)
    mine = np.mean([fit("rus_boost", x, y, n_members=10, seed=s)(x)[:, 1] for s in range(15)], axis=0)
    stump = DecisionTreeClassifier(max_depth=1)
    theirs = [RUSBoostClassifier(stump, n_estimators=10, random_state=s).fit(x, y).predict_proba(x) for s in range(15)]
    assert np.abs(mine - np.mean(theirs, axis=0)[:, 1]).mean() < 0.015


def test_samples_follow_the_schedule():
    x, y = clouds((40, 8, 4), apart=0.7)
    fitted = fit("rus_boost", x, y, n_members=5, schedule="progressive", judge="sample")
    assert fitted.counts.tolist() == [[40, 8, 4], [31, 7, 4], [22, 6, 4], [13, 5, 4], [4, 4, 4]][: len(fitted.counts)]
    assert len(fitted.counts) == 5


def test_rows_without_weight_teach_nothing():
    x, y = clouds((150, 50))
    lies = np.concatenate([x, x[150:] + 3.0, x[:50] - 3.0]), np.concatenate([y, np.repeat([0, 1], 50)])
    w = np.repeat([1.0, 1e-9], [200, 100])
    heard, ignored = (recalls(fit("rus_boost", *lies, v, n_members=10), x, y).mean() for v in (None, w))
    assert ignored > heard + 0.05 and ignored > 0.7


def test_the_seed_decides():
    x, y = clouds()
    one, same, other = (fit("rus_boost", x, y, seed=s, n_members=5)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
