from __future__ import annotations

import numpy as np
import pytest
from unsure import classifier, halves_of

from core.audit.set_thresholds import fewest, quantile, split_halves, thresholds
from core.types import BadInput


def test_the_quantile_of_nine_rows_by_hand():
    nine = np.array([.31, .02, .55, .13, .78, .44, .9, .27, .61])
    assert quantile(nine, 0.1) == 0.9  # the 9th: ceil(10 * .9)
    assert quantile(nine, 0.2) == 0.78 and quantile(nine, 0.5) == 0.44  # the 8th and the 5th
    assert quantile(nine, 0.05) == np.inf and quantile(np.zeros(0), 0.5) == np.inf
    assert (fewest(0.1), fewest(0.05), fewest(0.01)) == (9, 19, 99)


def test_a_weighted_quantile_by_hand_and_with_equal_weights():
    """Scores 1, 2, 3 of weights 1, 1, 6, a new row of weight 1: 0.2 of 9 is 1.8 -> 2; of weight 4: 0.2 of 12 -> 3."""
    halves = halves_of([1, 2, 3], [0, 0, 0], [0, 0], [0, 0], [1, 1, 6], [1, 4])
    assert thresholds(halves, 0.8, "pooled").tolist() == [2.0, 3.0]
    assert thresholds(halves, 0.05, "pooled").tolist() == [np.inf, np.inf]
    score, code = np.arange(99.0), np.zeros(99, int)
    plain = halves_of(score, code, [0.0], [0])
    heavy = halves_of(score, code, [0.0], [0], np.full(99, 7.0), [7.0])
    for alpha in (0.1, 0.25, 0.01):
        assert thresholds(plain, alpha, "pooled")[0] == thresholds(heavy, alpha, "pooled")[0] == quantile(score, alpha)


@pytest.mark.parametrize("kind", ["lac", "aps"])
@pytest.mark.parametrize("classes", [2, 4])
def test_exchangeable_rows_are_covered_as_often_as_asked(kind, classes):
    """Over 300 tables the mean coverage is 1 - alpha within Monte-Carlo error, pooled and in each group with its own
    threshold (n + 1 steps of 1 / (n + 1) add at most 1 / (n + 1))."""
    pooled, own = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        p, y, code = classifier(rng, 240, classes=classes)
        found = split_halves(p, y, code, ("a", "b"), kind=kind, rng=rng)
        hit = [found.evaluation.true <= thresholds(found, 0.1, policy) for policy in ("pooled", "group")]
        pooled.append(hit[0].mean())
        own.append([hit[1][found.evaluation.code == g].mean() for g in range(2)])
    error = 3 * np.std(pooled) / np.sqrt(300)
    assert 0.9 - error <= np.mean(pooled) <= 0.9 + 1 / 120 + error
    for g in range(2):
        column = np.array(own)[:, g]
        error = 3 * column.std() / np.sqrt(300)
        assert 0.9 - error <= column.mean() <= 0.9 + 1 / 50 + error


def test_aps_scores_by_hand():
    """Probabilities .6, .3, .1 and u: the likeliest class has .6 u, the next .6 + .3 u, the last .9 + .1 u."""
    p, y = np.tile([0.3, 0.6, 0.1], (4, 1)), np.array([0, 1, 2, 1])
    rng = np.random.default_rng(3)
    found = split_halves(p, y, np.zeros(4, int), ("all",), kind="aps", rng=rng)
    unlike = np.concatenate([found.calibration.unlike, found.evaluation.unlike])
    u = unlike[:, 1] / 0.6
    assert ((u >= 0) & (u < 1)).all() and len(set(u.round(9))) == 4
    np.testing.assert_allclose(unlike[:, 0], 0.6 + 0.3 * u)
    np.testing.assert_allclose(unlike[:, 2], 0.9 + 0.1 * u)


def test_equal_sizes_by_hand():
    """Both groups hold scores 0 and 1; at a mean size of 1 each holds the lower one."""
    halves = halves_of([0.0] * 20 + [10.0] * 20, [0] * 20 + [1] * 20, [0.0, 10.0], [0, 1])
    assert thresholds(halves, 0.1, "size").tolist() == [0.0, 10.0]


def test_a_policy_or_kind_that_is_not_there_is_refused(rng):
    p, y, code = classifier(rng, 20)
    with pytest.raises(BadInput, match="Kind"):
        split_halves(p, y, code, ("a", "b"), kind="raps", rng=rng)
    with pytest.raises(BadInput, match="Policy"):
        thresholds(split_halves(p, y, code, ("a", "b"), rng=rng), 0.1, "none")
    with pytest.raises(BadInput, match="Rows"):
        split_halves(p[:1], y[:1], code[:1], ("a", "b"), rng=rng)
