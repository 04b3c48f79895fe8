from __future__ import annotations

import numpy as np
import torch
from toys import BUDGET, NET, cohort_for, make_task

from core import registry
from core.engine.train import train_cohort

METHOD = registry.method("dfr")


def test_the_head_is_fitted_on_one_half_of_the_validation_rows_all_groups_alike():
    task = make_task()
    stage = METHOD.between(task, None, {"lam": 0.1, "first": 0.5}, None)
    assert (stage.fresh, stage.train, stage.standardise) == ("head", "head", True)
    assert np.array_equal(stage.rows.index, task.val_fit)
    mass = np.bincount(task.subgroup[task.val_fit], stage.rows.prob)
    assert np.allclose(mass, 0.25)


def test_a_huge_penalty_leaves_only_a_constant():
    from dataclasses import replace

    task = make_task()
    budget = replace(BUDGET, iterations=600, evaluations=2)
    outcome = train_cohort(task, cohort_for(METHOD, seeds=(0,), budget=budget, lam=(0.0, 10.0)), METHOD, NET)
    spread = outcome.test.score.std(1)
    assert spread[1] < 0.1 * spread[0]


def test_it_is_measured_on_the_other_half():
    task = make_task()
    outcome = train_cohort(task, cohort_for(METHOD, seeds=(0,)), METHOD, NET)
    assert np.array_equal(outcome.val.rows, task.val_select)
    assert outcome.history.n[1].sum() == len(task.val_select)
    assert torch.isfinite(outcome.weights["head.w"]).all()


def test_the_features_are_those_of_plain_training_to_the_last_bit_and_the_head_is_not():
    from dataclasses import replace

    task, erm = make_task(), registry.method("erm")
    short = replace(BUDGET, iterations=BUDGET.iterations // 2)
    mine = train_cohort(task, cohort_for(METHOD, seeds=(0,)), METHOD, NET).weights
    plain = train_cohort(task, cohort_for(erm, seeds=(0,), budget=short), erm, NET).weights
    assert torch.equal(mine["layer0.w"], plain["layer0.w"]) and not torch.equal(mine["head.w"], plain["head.w"])


def test_groups_count_the_same_on_weighted_data():
    task = make_task(weighted=True)
    rows = METHOD.between(task, None, {"lam": 0.1, "first": 0.5}, None).rows
    mass = np.bincount(task.subgroup[rows.index], rows.prob * rows.weight * task.w[rows.index])
    assert np.allclose(mass, 0.25)
