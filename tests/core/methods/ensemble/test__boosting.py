from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from core.methods.ensemble._boosting import Changes, boost, combine, normalise, rarity, vote_weight
from core.methods.ensemble._members import Data, Sample


def data(classes=2, n=300, weighted=False, noise=1.0):
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, n)
    x = rng.normal(size=(n, 4)) * noise
    x[:, 0] += y
    x[:, 1] += (y == classes - 1) * 0.7
    w = rng.uniform(0.2, 2.0, n) if weighted else np.ones(n)
    return Data(x, y, y, w, classes, classes)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_without_changes_it_is_scikit_learns_adaboost(classes, weighted):
    d = data(classes, weighted=weighted)
    mine = boost(d, 20, 1, np.random.default_rng(0))
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=20, random_state=0)
    theirs.fit(d.x, d.y, d.w)
    np.testing.assert_allclose(mine(d.x), theirs.predict_proba(d.x), atol=1e-8)
    np.testing.assert_allclose(mine.facts["error"], theirs.estimator_errors_[: len(mine.facts["error"])], atol=1e-9)


def test_vote_weight_by_hand():
    assert vote_weight(0.1, 2) == pytest.approx(np.log(9))
    assert vote_weight(0.1, 3) == pytest.approx(np.log(9) + np.log(2))
    assert vote_weight(2 / 3, 3) == pytest.approx(0, abs=1e-12)


def test_weighted_mean_vote_by_hand():
    class Says:
        def __init__(self, c):
            self.c = c

        def predict(self, x):
            return np.full(len(x), self.c)

    p = combine([Says(0), Says(1)], [3.0, 1.0], 2)(np.zeros((1, 1)))
    np.testing.assert_allclose(p[0, 0], 1 / (1 + np.exp(-1.0)))  # mean vote 1/2 for class 0, -1/2 for class 1


def test_a_perfect_member_ends_boosting_and_stays_finite():
    d = Data(np.arange(20.0)[:, None], np.repeat([0, 1], 10), np.repeat([0, 1], 10), np.ones(20), 2, 2)
    fitted = boost(d, 50, 1, np.random.default_rng(0))
    assert len(fitted.counts) == 1 and np.isfinite(fitted(d.x)).all()
    assert (fitted(d.x).argmax(1) == d.y).all()


def test_members_no_better_than_guessing_have_no_vote_and_the_class_shares_are_the_answer():
    y = np.array([0, 1, 0, 1, 1])[[0, 1, 2, 3]]
    d = Data(np.zeros((4, 1)), y, y, np.ones(4), 2, 2)
    fitted = boost(d, 50, 1, np.random.default_rng(0))
    assert fitted.facts["vote"].tolist() == [0.0] and len(fitted.counts) == 1
    np.testing.assert_allclose(fitted(d.x), 0.5)


def test_after_a_useless_sample_the_weights_start_again_and_boosting_goes_on():
    d, seen = data(noise=0.5), []

    def pick(t, w, rng):
        seen.append(w)
        y = 1 - d.y if t in (2, 5) else d.y  # a sample that teaches the opposite
        return Sample(d.x, y, w, d.sizes)

    fitted = boost(d, 8, 1, np.random.default_rng(0), Changes(pick=pick))
    assert len(fitted.counts) == 8 and fitted.facts["vote"][[2, 5]].tolist() == [0, 0]
    np.testing.assert_allclose(seen[3], seen[0])
    assert (np.delete(fitted.facts["vote"], [2, 5]) > 0).all() and not np.allclose(seen[2], seen[0])


def test_an_error_on_the_sample_can_decide():
    d = data(noise=0.5)
    pick = lambda t, w, rng: Sample(d.x, 1 - d.y, w, d.sizes)  # noqa: E731
    all_rows = boost(d, 1, 1, np.random.default_rng(0), Changes(pick=pick))
    sample = boost(d, 1, 1, np.random.default_rng(0), Changes(pick=pick, judge="sample"))
    assert all_rows.facts["vote"][0] == 0 < sample.facts["vote"][0]
    assert all_rows.facts["error"][0] == pytest.approx(1 - sample.facts["error"][0])


def test_huge_logarithms_make_finite_weights():
    d = normalise(np.array([0.0, 1000.0, 999.0]))
    np.testing.assert_allclose(d, [0, 1 / (1 + np.exp(-1)), 1 / (1 + np.e)])


def test_rarity_is_the_ratio_to_the_heaviest_cell():
    assert rarity(np.array([90.0, 0.0, 10.0]), 1.0).tolist() == [1, 1, 9]
    assert rarity(np.array([90.0, 0.0, 10.0]), 0.5).tolist() == [1, 1, 3]
