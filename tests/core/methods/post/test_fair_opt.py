from __future__ import annotations

import numpy as np
import pytest

from core.methods.post.fair_opt import decide, descend, group_loss, settled

HP = {"search": "descent", "largest": 0.2, "lr_threshold": 0.01, "delta": 0.05}


def rows(n=2000, seed=0):
    """Scores of two groups: the second group's are too high by 0.3, as a detector's are for short texts."""
    rng = np.random.default_rng(seed)
    y, attr = rng.integers(0, 2, n), rng.integers(0, 2, n)
    return np.clip(rng.normal(0.25 + 0.4 * y + 0.3 * attr, 0.12), 0, 1), attr, y, np.ones(n)


def rates(s, attr, y, t):
    return np.array([[(s[(attr == g) & (y == c)] >= t[g]).mean() for c in (0, 1)] for g in (0, 1)])


def test_the_loss_is_what_the_formula_says():
    s, attr = np.array([0.2, 0.7, 0.9, 0.4]), np.zeros(4, int)
    y, w = np.array([0, 0, 1, 1]), np.ones(4)
    assert group_loss(s, attr, y, w, 1, np.array([0.5])).tolist() == pytest.approx([-0.5])  # F1 is 0.5 exactly
    assert group_loss(s, attr, y, w, 1, np.array([0.95])).tolist() == pytest.approx([-0.5 + 5.0])


def test_the_descent_brings_the_groups_rates_within_the_bound_at_no_loss_of_accuracy():
    s, attr, y, w = rows()
    start = np.full(2, 0.5)
    assert not settled(s, attr, y, w, 2, start, 0.2)
    t, steps, close = descend(s, attr, y, w, 2, 0.01, 0.05, 0.2)
    assert close and steps > 0 and t[1] > t[0]
    gap = np.ptp(rates(s, attr, y, t), axis=0)
    assert (gap <= 0.2).all()
    accuracy = [((s >= cut[attr]) == y).mean() for cut in (start, t)]
    assert accuracy[1] > accuracy[0]


def test_the_exact_search_keeps_the_bound_with_at_least_the_accuracy_of_the_descent():
    s, attr, y, w = rows(800)
    found = decide(s, attr, y, w, {**HP, "search": "exact", "largest": 0.1}).thresholds
    assert (np.ptp(rates(s, attr, y, found), axis=0) <= 0.1 + 1e-9).all()
    t = descend(s, attr, y, w, 2, 0.01, 0.05, 0.1)[0]
    if (np.ptp(rates(s, attr, y, t), axis=0) <= 0.1).all():
        assert ((s >= found[attr]) == y).mean() >= ((s >= t[attr]) == y).mean() - 1e-9


def test_where_nothing_moves_the_note_says_so():
    s = np.array([0.1] * 10 + [0.9] * 10)
    y, attr = np.tile([0, 1], 10), np.repeat([0, 1], 10)
    assert "no longer move" in decide(s, attr, y, np.ones(20), HP).note


def test_a_group_without_rows_is_left_at_the_beginning():
    s, attr, y, w = rows(200)
    t = descend(s, attr * 2, y, w, 3, 0.01, 0.05, 0.2)[0]
    assert t[1] == 0.5
