from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from core.fronts import best_rule
from core.methods.post.group_calibration import decide, infra_marginality, line

HP = {"form": "logistic", "pull": 0.0}


def world(n=6000, seed=0):
    """True chances of two groups with other base rates, and scores that are too low by 1 on the log odds in group 1."""
    rng = np.random.default_rng(seed)
    attr = (rng.random(n) < 0.4).astype(int)
    z = rng.normal(size=n) * 1.5 + np.where(attr == 0, 0.6, -0.8)
    p = 1 / (1 + np.exp(-z))
    return p, 1 / (1 + np.exp(-(z - attr))), attr, (rng.random(n) < p).astype(int), np.ones(n)


def accuracy(p, accept):
    return (accept * p + (1 - accept) * (1 - p)).mean()


def test_by_hand_two_scores_give_the_line_through_their_platt_targets():
    # at score 1/4: 1 of 4 positive, at 3/4: 3 of 4; targets (5/6, 1/6) -> means (1/6 + 1/3 * 1/2 ...) solved below
    s, y = np.repeat([0.25, 0.75], 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
    (a, b), _ = line(s, y, np.ones(8))
    low = (5 / 6 + 3 / 6) / 4  # mean target at 1/4: one positive, three negatives
    assert b == pytest.approx(0, abs=1e-8)
    assert a == pytest.approx(np.log(low / (1 - low)) / np.log(1 / 3))


def test_the_fit_is_the_optimum_that_a_general_search_finds():
    _, s, _, y, _ = world(400)
    w = np.random.default_rng(1).uniform(0.2, 2, 400)
    z = np.log(s / (1 - s))
    goal = np.where(y == 1, (w[y == 1].sum() + 1) / (w[y == 1].sum() + 2), 1 / (w[y == 0].sum() + 2))
    found = minimize(lambda c: w @ (np.logaddexp(0, c[0] * z + c[1]) - goal * (c[0] * z + c[1])), [1.0, 0.0], tol=1e-12)
    assert np.allclose(line(s, y, w)[0], found.x, atol=1e-4)
    big = LogisticRegression(C=1e8).fit(np.tile(z, 50)[:, None], np.tile(y, 50))  # targets matter less and less
    assert np.allclose(line(np.tile(s, 50), np.tile(y, 50), np.ones(20000))[0], [big.coef_[0, 0], big.intercept_[0]],
                       atol=0.01)  # fmt: skip


def test_a_group_whose_scores_are_too_low_by_one_is_lifted_by_one():
    _, s, attr, y, w = world()
    t = decide(s, attr, y, w, HP).thresholds
    assert np.log(t / (1 - t)) == pytest.approx([0.0, -1.0], abs=0.15)


def test_isotonic_maps_are_the_most_accurate_thresholds_as_group_thresholds_without_a_bound():
    _, s, attr, y, w = world(700)
    t = decide(s, attr, y, w, {**HP, "form": "isotonic"}).thresholds
    other = best_rule(s, y, attr, 2, 1.0, gap="demographic_parity", objective="accuracy", weight=w).thresholds
    for g in (0, 1):
        mine, theirs = (((s >= cut[g]) == y)[attr == g].mean() for cut in (t, other))
        brute = max(((s >= cut) == y)[attr == g].mean() for cut in np.append(s[attr == g], 2))
        assert mine == pytest.approx(brute) and mine >= theirs - 1e-12


def test_a_very_strong_pull_gives_all_groups_one_threshold():
    _, s, attr, y, w = world(800)
    far = decide(s, attr, y, w, {**HP, "pull": 1e6}).thresholds
    near = decide(s, attr, y, w, {**HP, "pull": 0.0}).thresholds
    one = decide(s, np.zeros_like(attr), y, w, HP).thresholds
    assert np.ptp(far) < 0.01 < np.ptp(near) and far == pytest.approx([one[0]] * 2, abs=0.01)


def test_accuracy_lost_is_infra_marginality_to_the_last_digit():
    p, s, attr, y, w = world()
    for accept in (s >= 0.5, s, np.random.default_rng(0).random(len(p))):
        lost = accuracy(p, p >= 0.5) - accuracy(p, np.asarray(accept, float))
        assert infra_marginality(p, np.asarray(accept, float), w) == pytest.approx(lost, abs=1e-12)


def test_parity_raises_infra_marginality_and_calibration_lowers_it():
    p, s, attr, y, w = world()
    mine = decide(s, attr, y, w, HP).thresholds
    parity = best_rule(s, y, attr, 2, 0.0, gap="demographic_parity", objective="accuracy", weight=w).thresholds
    eta = [infra_marginality(p, (s >= t[attr]).astype(float), w) for t in (mine, np.full(2, 0.5), parity)]
    assert eta[0] < 0.005 < eta[1] and eta[2] > 5 * eta[0] and eta[2] > 0.02


def test_scores_that_mean_nothing_or_the_opposite_leave_the_commoner_class():
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.8).astype(int)
    s = np.clip(0.5 - 0.3 * (y - 0.5) + rng.normal(size=400) * 0.1, 0.01, 0.99)  # upside down
    rule = decide(s, np.zeros(400, int), y, np.ones(400), HP)
    assert rule.thresholds.tolist() == [0.0] and "commoner class" in rule.note


def test_one_class_no_rows_and_empty_groups():
    s = np.array([0.2, 0.6, 0.7])
    assert np.isfinite(decide(s, np.zeros(3, int), np.ones(3, int), np.ones(3), HP).thresholds).all()
    assert "no validation rows" in decide(s[:0], np.zeros(0, int), np.zeros(0, int), np.ones(0), HP).note
    assert len(decide(s, np.array([0, 2, 2]), np.array([0, 1, 0]), np.ones(3), {**HP, "pull": 10.0}).thresholds) == 3
