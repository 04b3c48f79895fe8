from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, roc_auc_score
from toys import BUDGET, NET, cohort_for, make_task

from core import registry
from core.engine.train import train_cohort
from core.methods.post import tuned_threshold
from core.methods.post.prior_cost_threshold import METHOD, cut, decide, moved

HP = {"population": "balanced", "target": 0.1, "cost_fp": 1.0, "cost_fn": 1.0}


def rows(n=500, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 8, n)
    return p, rng.integers(0, 3, n), (rng.random(n) < p).astype(int), rng.uniform(0.5, 2, n)


def test_by_hand():
    # share 0.2 -> 0.05, a miss costs 10: odds = (1/10) (1/4) / (1/19) = 0.475, t = 0.475 / 1.475
    assert cut(0.2, 0.05, 1.0, 10.0) == pytest.approx(0.475 / 1.475)
    y, scores = np.array([1, 0, 0, 0, 0]), np.linspace(0.1, 0.9, 5)
    rule = decide(scores, np.zeros(5, int), y, np.ones(5), {**HP, "population": "given", "target": 0.05, "cost_fn": 10})
    assert rule.thresholds.tolist() == pytest.approx([0.475 / 1.475])
    assert "0.2 positives" in rule.note and "0.322 for everybody" in rule.note


@pytest.mark.parametrize(("score", "true"), [(0.9, 0.4737), (0.5, 0.0909)])
def test_scores_of_undersampled_data_are_moved_back_to_the_known_values(score, true):
    prior, kept = 0.05, 0.1  # a tenth of the negatives was kept
    sampled = prior / (prior + kept * (1 - prior))
    assert moved(np.array([score]), sampled, prior)[0] == pytest.approx(true, abs=5e-5)


def test_the_threshold_is_where_the_moved_score_meets_the_threshold_of_the_costs():
    t = cut(0.3, 0.02, 1.0, 7.0)
    assert moved(np.array([t]), 0.3, 0.02)[0] == pytest.approx(1 / 8)


def test_no_other_threshold_costs_less_in_a_population_whose_chances_are_known():
    p = np.linspace(0.005, 0.995, 199)  # every score is met equally often and is true: the share of positives is 1/2
    for target, fp, fn in ((0.5, 1.0, 1.0), (0.1, 1.0, 3.0), (0.8, 5.0, 2.0)):
        pos, neg = p / p.sum() * target, (1 - p) / (1 - p).sum() * (1 - target)

        def cost(t, pos=pos, neg=neg, fp=fp, fn=fn):
            return fn * pos[p < t].sum() + fp * neg[p >= t].sum()

        least = min(cost(t) for t in np.append(p, 2.0))
        assert cost(cut(0.5, target, fp, fn)) == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({"population": "balanced"}, {"rule": "prior"}),
        ({"population": "here", "cost_fn": 9.0}, {"rule": "cost", "cost_fn": 9.0}),
    ],
)
def test_its_two_ends_are_the_prior_and_the_cost_rule_of_the_tuned_threshold(mine, theirs):
    s, attr, y, w = rows()
    t = decide(s, attr, y, w, {**HP, **mine}).thresholds
    other = tuned_threshold.decide(s, attr, y, w, {"rule": "", "cost_fp": 1.0, "cost_fn": 1.0, **theirs}).thresholds
    assert t.tolist() == pytest.approx(other.tolist()) and len(t) == 3


def test_equal_shares_and_costs_leave_the_plain_decision():
    assert cut(0.5, 0.5, 3.0, 3.0) == 0.5


def test_costs_of_nothing():
    assert cut(0.3, 0.3, 0.0, 0.0) == 0.5
    assert cut(0.3, 0.3, 0.0, 1.0) == 0.0 and 1.0 < cut(0.3, 0.3, 1.0, 0.0) < 1.001


def test_validation_rows_of_one_class_leave_the_threshold_and_say_so():
    rule = decide(np.array([0.2, 0.7]), np.zeros(2, int), np.zeros(2, int), np.ones(2), HP)
    assert rule.thresholds.tolist() == [0.5] and "one class" in rule.note


def test_balanced_accuracy_rises_and_brier_score_and_auc_do_not_move_at_all():
    task = make_task(2000, seed=3)
    kept = np.flatnonzero((task.y == 0) | (np.random.default_rng(0).random(2000) < 0.12))
    keep = {name: np.intersect1d(getattr(task.splits, name), kept) for name in ("train", "val", "test")}
    task = replace(task, splits=type(task.splits)(**keep))
    budget = replace(BUDGET, iterations=300)
    mine = train_cohort(task, cohort_for(METHOD, seeds=(0,), budget=budget), METHOD, NET).test
    erm = registry.method("erm")
    plain = train_cohort(task, cohort_for(erm, seeds=(0,), budget=budget), erm, NET).test
    y = task.y[mine.rows]
    for measure in (brier_score_loss, roc_auc_score):
        assert measure(y, mine.score[0]) == measure(y, plain.score[0])
    balanced = [balanced_accuracy_score(y, s.score[0] >= s.thresholds[0][s.attr]) for s in (mine, plain)]
    assert balanced[0] > balanced[1] + 0.1
