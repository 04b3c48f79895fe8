from __future__ import annotations

import numpy as np
import pytest

from core.fronts import best_rule
from core.methods.post.bias_scores import cuts, decide
from core.types import BadInput

HP = {"gap_bound": 0.02, "criterion": "demographic_parity"}


def world(n=4000, seed=0):
    """A Gaussian world with calibrated scores; group 0 has the higher base rate."""
    rng = np.random.default_rng(seed)
    attr = (rng.random(n) < 0.4).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=n) * 1.5 + np.where(attr == 0, 0.6, -0.8))))
    return p, attr, (rng.random(n) < p).astype(int), np.ones(n)


def rates(p, attr, t, keep=None):
    keep = np.ones(len(p), bool) if keep is None else keep
    return [(p[(attr == g) & keep] >= t[g]).mean() for g in (0, 1)]


def test_with_known_groups_the_shifts_balance_by_the_groups_shares():
    p, attr, y, w = world()
    t = decide(p, attr, y, w, HP).thresholds
    share = np.bincount(attr) / len(attr)
    assert (t[0] - 0.5) * share[0] == pytest.approx(-(t[1] - 0.5) * share[1], rel=1e-9)
    assert t[0] > 0.5 > t[1]


@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity"])
def test_the_gap_is_kept_and_hardly_any_accuracy_is_lost_against_the_exact_search(criterion):
    p, attr, y, w = world()
    t = decide(p, attr, y, w, {**HP, "criterion": criterion}).thresholds
    keep = None if criterion == "demographic_parity" else y == 1
    assert abs(np.subtract(*rates(p, attr, t, keep))) <= 0.02 + 1e-9
    exact = best_rule(p, y, attr, 2, 0.02, gap=criterion).thresholds
    accuracy = [((p >= cut[attr]) == y).mean() for cut in (t, exact)]
    assert accuracy[0] >= accuracy[1] - 0.005
    assert abs(np.subtract(*rates(p, attr, np.full(2, 0.5), keep))) > 0.1


def test_equal_opportunity_thresholds_solve_the_flip_condition():
    share, k = np.array([0.3, 0.2]), np.array([0.05])
    t = cuts(k, share, "equal_opportunity")[0]
    assert 2 * t[0] - 1 == pytest.approx(k[0] * t[0] / share[0])
    assert 2 * t[1] - 1 == pytest.approx(-k[0] * t[1] / share[1])


def test_a_bound_of_one_leaves_the_plain_decisions_or_better_ones():
    p, attr, y, w = world(500)
    t = decide(p, attr, y, w, {**HP, "gap_bound": 1.0}).thresholds
    assert ((p >= t[attr]) == y).mean() >= ((p >= 0.5) == y).mean()


def test_three_groups_are_refused_in_one_sentence_and_no_positives_are_told():
    p, attr, y, w = world(300)
    with pytest.raises(BadInput, match="two groups"):
        decide(p, np.arange(300) % 3, y, w, HP)
    rule = decide(p, attr, np.where(attr == 1, 0, y), w, {**HP, "criterion": "equal_opportunity"})
    assert rule.thresholds.tolist() == [0.5, 0.5] and "no positives" in rule.note
