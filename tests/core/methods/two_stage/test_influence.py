from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from toys import BUDGET, NET, cohort_for, make_task

from core import registry
from core.engine.train import train_cohort
from core.methods.two_stage.influence import bend, head, losses, score, slopes, weights

METHOD = registry.method("influence")
HP = {p.name: p.default for p in METHOD.params}


def rows(n, seed, minority=0.1):
    """Features, one-hot labels and subgroups: a core feature and a shortcut that fails for the minority."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    attr = np.where(rng.random(n) < minority, 1 - y, y)
    h = rng.normal(size=(n, 3)) + np.outer(y, [1.5, 0, 0]) + np.outer(attr, [0, 2.5, 0])
    return h, np.eye(2)[y], 2 * y + attr


def test_the_head_is_that_of_scikit_learn():
    h, t, _ = rows(200, 0)
    w = np.random.default_rng(1).uniform(0.5, 2, 200)
    theta = head(h, t, w, 1.0)
    # two equal and opposite vectors with penalty wd each are one difference with half of it
    ones = np.concatenate([h, np.ones((200, 1))], 1)
    theirs = LogisticRegression(C=2.0, tol=1e-10, max_iter=1000, fit_intercept=False).fit(ones, t[:, 1], w)
    mine = (theta[:, 1] - theta[:, 0])
    assert np.allclose(mine, theirs.coef_[0], atol=1e-4)


def test_slopes_and_bend_are_those_of_differences():
    h, t, _ = rows(20, 0)
    theta, w = np.random.default_rng(2).normal(size=(4, 2)), np.full(20, 0.05)
    step = np.zeros_like(theta)
    step[1, 0] = 1e-5
    gap = (losses(h, t, theta + step) - losses(h, t, theta - step)) / 2e-5
    assert np.allclose(slopes(h, t, theta)[:, 2], gap, atol=1e-8)
    side = [w @ slopes(h, t, theta + s * step) for s in (1, -1)]
    assert np.allclose(bend(h, theta, w, 0.0)[:, 2], (side[0] - side[1]) / 2e-5, atol=2e-6)


def test_the_score_foretells_what_leaving_a_row_out_does():
    h, t, _ = rows(60, 0)
    goal_h, goal_t, cells = rows(300, 5)
    goal = (cells == 1) / (cells == 1).sum()
    w = np.full(60, 1 / 60)
    theta = head(h, t, w, 0.01)
    foretold = score(h, t, w, 0.01, theta, goal_h, goal_t, goal)
    before = goal @ losses(goal_h, goal_t, theta)
    without = np.array([goal @ losses(goal_h, goal_t, head(h, t, np.where(np.arange(60) == i, 0, w), 0.01, theta))
                        for i in range(60)])
    assert np.corrcoef(foretold / 60, without - before)[0, 1] > 0.95


def test_the_minority_gains_weight_and_the_worst_group_accuracy():
    h, t, cells = rows(600, 0)
    goal_h, goal_t, goal_cells = rows(200, 1)
    test_h, test_t, test_cells = rows(4000, 2)
    base, minority = np.ones(600), np.isin(cells, (1, 2))
    found = weights(h, t, base, goal_h, goal_t, goal_cells, np.ones(200), HP)
    assert found.sum() == pytest.approx(1) and (found >= 0).all()
    assert found[minority].sum() > 1.5 * minority.mean()

    def worst(w):
        z = np.concatenate([test_h, np.ones((4000, 1))], 1) @ head(h, t, w, HP["wd"])
        return min((z.argmax(1) == test_t.argmax(1))[test_cells == g].mean() for g in range(4))

    assert worst(found) > worst(base / 600) + 0.1


def test_without_rounds_the_data_weights_stay():
    h, t, _ = rows(50, 0)
    goal_h, goal_t, cells = rows(100, 1, minority=0.5)
    base = np.random.default_rng(0).uniform(0.5, 2, 50)
    assert np.allclose(weights(h, t, base, goal_h, goal_t, cells, np.ones(100), {**HP, "rounds": 0}), base / base.sum())


def test_groups_of_training_rows_are_not_looked_at_and_a_head_is_learned_from_training_rows():
    task = make_task()
    outcome = train_cohort(task, cohort_for(METHOD, seeds=(0,)), METHOD, NET)
    other = replace(task, attr=task.attr.copy())
    other.attr[task.splits.train] = 0
    again = train_cohort(other, cohort_for(METHOD, seeds=(0,)), METHOD, NET)
    assert np.array_equal(outcome.test.score, again.test.score)
    assert np.array_equal(outcome.val.rows, task.val_select)


def test_the_worst_group_does_better_than_after_plain_training():
    budget = replace(BUDGET, iterations=400, evaluations=1)
    task = make_task(1500)

    def worst(name):
        method = registry.method(name)
        test = train_cohort(task, cohort_for(method, seeds=(0, 1), budget=budget), method, NET).tested
        right = (test.score >= 0.5) == test.y
        return np.mean([min(right[r][2 * test.y + test.attr == g].mean() for g in range(4)) for r in (0, 1)])

    assert worst("influence") > worst("erm") + 0.1
