from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from toys import BUDGET, NET, cohort_for, make_task

from core import registry
from core.engine.train import train_cohort
from core.methods.two_stage.crt import balanced

METHOD = registry.method("crt")


def even_task():
    """Every subgroup has 40 training rows."""
    task = make_task()
    rows = np.concatenate([np.flatnonzero(task.subgroup == s)[:40] for s in range(4)])
    rest = np.setdiff1d(np.arange(len(task.y)), rows)
    splits = task.splits._replace(train=np.sort(rows), val=rest[::2], test=rest[1::2])
    return replace(task, splits=splits, val_fit=rest[::4], val_select=rest[2::4], fingerprint="even")


def scores(task, **settings):
    cohort = cohort_for(METHOD, seeds=(0,), **{k: (v,) for k, v in settings.items()})
    return train_cohort(task, cohort, METHOD, NET)


def test_a_fresh_head_is_drawn_and_trained_alone():
    stage = METHOD.between(make_task(), None, {"form": "resample", "by": "group"}, None)
    assert (stage.fresh, stage.train, stage.standardise) == ("head", "head", False)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("form", "by", "cells"), [("resample", "group", 4), ("resample", "class", 2),
                                                   ("reweight", "group", 4), ("reweight", "class", 2)])  # fmt: skip
def test_all_groups_have_the_same_mass(form, by, cells, weighted):
    task = make_task(weighted=weighted)
    train = task.splits.train
    rows = balanced(task, form, by)
    mass = (1 / len(train) if rows.prob is None else rows.prob) * task.w[train] * rows.weight
    code = task.subgroup[train] if by == "group" else task.y[train]
    assert np.bincount(code, mass) == pytest.approx(np.full(cells, mass.sum() / cells))


def test_the_features_are_those_of_plain_training_to_the_last_bit_and_the_head_is_not():
    task, erm = make_task(), registry.method("erm")
    short = replace(BUDGET, iterations=BUDGET.iterations // 2)
    plain = train_cohort(task, cohort_for(erm, seeds=(0,), budget=short), erm, NET).weights
    for form in METHOD.param("form").choices:
        mine = scores(task, form=form).weights
        assert torch.equal(mine["layer0.w"], plain["layer0.w"]) and torch.equal(mine["layer0.b"], plain["layer0.b"])
        assert not torch.equal(mine["head.w"], plain["head.w"])


def test_reweighting_equal_groups_is_the_plain_form_and_of_unequal_ones_is_not():
    even = even_task()
    assert np.allclose(balanced(even, "reweight", "group").weight, 1.0)
    one, two = scores(even, form="reweight"), scores(even, form="plain")
    assert np.allclose(one.test.score, two.test.score, atol=1e-6)
    one, two = scores(make_task(), form="reweight"), scores(make_task(), form="plain")
    assert np.abs(one.test.score - two.test.score).max() > 1e-3
