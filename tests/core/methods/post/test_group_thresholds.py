from __future__ import annotations

import numpy as np
from toys import NET, cohort_for, make_task

from core import registry
from core.engine.train import train_cohort

METHOD = registry.method("group_thresholds")


def rate(scores, run):
    chosen = scores.score[run] >= scores.thresholds[run][scores.attr]
    return np.array([chosen[scores.attr == a].mean() for a in (0, 1)])


def test_the_gap_is_kept_on_validation_rows_and_bounds_share_one_model():
    task = make_task(2000)
    outcome = train_cohort(task, cohort_for(METHOD, seeds=(0,), gap_bound=(0.02, 0.2, 1.0)), METHOD, NET)
    gaps = [np.ptp(rate(outcome.val, r)) for r in range(3)]
    assert gaps[0] <= 0.02 + 1e-9 and gaps[1] <= 0.2 + 1e-9 and gaps[2] > 0.2
    assert (outcome.test.score[0] == outcome.test.score[2]).all() and outcome.weights["head.w"].shape[0] == 1


def test_a_looser_bound_is_never_less_accurate_on_validation_rows():
    task = make_task(2000)
    outcome = train_cohort(task, cohort_for(METHOD, seeds=(0,), gap_bound=(0.0, 0.1, 0.3, 1.0)), METHOD, NET)
    counts = outcome.history.counts[-1, 1]
    accuracy = np.trace(counts.sum(1), axis1=-2, axis2=-1) / counts.sum((1, 2, 3))
    assert (np.diff(accuracy) >= -1e-12).all()


def test_a_group_without_validation_rows_keeps_the_fallback_threshold():
    from dataclasses import replace

    task = make_task(600)
    attr = task.attr.copy()
    attr[task.splits.test[:5]] = 2
    task = replace(task, attr=attr, attr_labels=("a", "b", "c"))
    outcome = train_cohort(task, cohort_for(METHOD, seeds=(0,), gap_bound=(0.05,)), METHOD, NET)
    assert outcome.test.thresholds[0, 2] == 0.5
