from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from toys import BUDGET, NET, cohort_for, two_stage

from core.engine.stages import first_iterations
from core.engine.train import train_cohort
from core.nn.head import logits
from core.types import BadInput, Method, Param, Rows, Stage

FIRST = Param("first", 0.5, 0.1, 0.9, static=True)


def head_method(standardise: bool) -> Method:
    def between(task, scores, hp, rng):
        return Stage(Rows(index=task.val_fit), fresh="head", train="head", standardise=standardise)

    return Method(
        "refit", "Refit", "two_stage", "s", "s", between=between, params=(FIRST,), needs=frozenset({"fit_val"})
    )


def test_the_share_of_stage_one_is_the_setting_called_first():
    assert first_iterations(two_stage(), cohort_for(two_stage(), first=(0.25,))) == 15
    assert first_iterations(two_stage(), cohort_for(two_stage(), first=(0.9,))) == 54
    with pytest.raises(BadInput, match="twice"):
        first_iterations(two_stage(), cohort_for(two_stage(), budget=replace(BUDGET, iterations=1)))


@pytest.mark.parametrize("standardise", [False, True])
def test_a_head_only_stage_leaves_the_features_bit_identical(task, erm, standardise):
    method = head_method(standardise)
    outcome = train_cohort(task, cohort_for(method), method, NET)
    stage_one = train_cohort(task, cohort_for(erm, budget=replace(BUDGET, iterations=30)), erm, NET)
    assert torch.equal(outcome.weights["layer0.w"], stage_one.weights["layer0.w"])
    assert not torch.equal(outcome.weights["head.w"], stage_one.weights["head.w"])


def test_standardised_heads_are_folded_back_into_plain_weights(task):
    method = head_method(True)
    outcome = train_cohort(task, cohort_for(method), method, NET)
    own = {k: v[0] for k, v in outcome.weights.items()}
    x = torch.from_numpy(task.x[task.splits.test])
    again = torch.softmax(logits(NET, own, x), -1)[:, 1].numpy()
    np.testing.assert_allclose(outcome.test.score[0], again, atol=1e-5)
    assert ((outcome.test.score[0] >= 0.5) == outcome.test.y).mean() > 0.7


def test_between_sees_training_and_validation_scores_and_no_test_scores(task):
    seen = []

    def between(task, scores, hp, rng):
        seen.append(scores)
        return Stage(Rows())

    method = replace(two_stage(), between=between)
    train_cohort(task, cohort_for(method), method, NET)
    assert len(seen) == 2 and np.isnan(seen[0][task.splits.test]).all()
    shown = np.concatenate([task.splits.train, task.splits.val])
    assert np.allclose(seen[0][shown].sum(-1), 1, atol=1e-5)


def test_a_fresh_second_stage_does_not_start_from_the_first_weights(task):
    method = two_stage()
    fresh = train_cohort(task, cohort_for(method), method, NET)
    kept = replace(method, between=lambda task, s, hp, rng: replace(method.between(task, s, hp, rng), fresh="none"))
    going_on = train_cohort(task, cohort_for(kept), kept, NET)
    assert not np.allclose(fresh.history.loss[3], going_on.history.loss[3], atol=1e-2)


def test_the_stage_is_told_to_the_method(task):
    def loss(net, weights, state, batch, hp):
        from core.engine.stack import erm_loss

        value, _ = erm_loss(net, weights, state, batch, hp)
        return value * 0.0 * hp["_stage"] + (hp["_stage"] - 2.0) * value, state

    method = replace(two_stage(), loss=loss)
    outcome = train_cohort(task, cohort_for(method, budget=replace(BUDGET, weight_decay=(0.0,))), method, NET)
    # Stage two multiplies the loss by zero: nothing moves after its first measurement.
    np.testing.assert_allclose(outcome.history.loss[3], outcome.history.loss[5], atol=1e-6)
