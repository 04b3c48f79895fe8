from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from toys import BUDGET, NET, cohort_for, two_stage

from core.engine.stages import first_iterations
from core.engine.train import train_cohort
from core.nn.head import cross_entropy, logits, weighted_mean
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


def kept_at_start(task):
    """A second stage that starts from twice the weights, has one constant and merges by a sum."""

    def between(task, scores, hp, rng, model):
        weights = {"move": torch.zeros_like(model.weights["head.w"])}
        return Stage(Rows(), fresh="none", weights=weights, state=dict(model.weights), merge=merge)

    def merge(weights, state):
        return {**state, "head.w": state["head.w"] + weights["move"]}

    def loss(net, weights, state, batch, hp):
        value = cross_entropy(logits(net, merge(weights, state), batch.x), batch.t)
        return weighted_mean(value, batch.w), state

    return Method("moved", "Moved", "two_stage", "s", "s", between=between, loss=loss, params=(FIRST,))


def test_a_stage_may_bring_weights_of_its_own_with_constants_and_merge_them(task, erm):
    method = kept_at_start(task)
    outcome = train_cohort(task, cohort_for(method), method, NET)
    one = train_cohort(task, cohort_for(erm, budget=replace(BUDGET, iterations=30)), erm, NET).weights
    assert set(outcome.weights) == set(one)
    assert torch.equal(outcome.weights["layer0.w"], one["layer0.w"])
    assert torch.equal(outcome.weights["head.b"], one["head.b"])
    moved = outcome.weights["head.w"] - one["head.w"]
    assert moved.abs().amax(dim=(1, 2)).min() > 0.05
    x = torch.from_numpy(task.x[task.splits.test])
    again = torch.softmax(logits(NET, {k: v[0] for k, v in outcome.weights.items()}, x), -1)[:, 1].numpy()
    np.testing.assert_allclose(outcome.test.score[0], again, atol=1e-6)


@pytest.mark.parametrize("stop", [25, 38, 55])
def test_a_merged_stage_resumes_to_the_bit(task, stop):
    method = kept_at_start(task)
    whole = train_cohort(task, cohort_for(method), method, NET)
    asked, saved = iter(range(10_000)), []
    train_cohort(task, cohort_for(method), method, NET, cancelled=lambda: next(asked) >= stop, keep=saved.append)
    resumed = train_cohort(task, cohort_for(method), method, NET, checkpoint=saved[-1])
    assert np.array_equal(resumed.test.score, whole.test.score)


def test_a_stage_may_start_from_a_changed_model(task, erm):
    def between(task, scores, hp, rng, model):
        weights = {k: 2 * v for k, v in model.weights.items()}
        return Stage(Rows(), fresh="none", train="head", weights=weights)

    method = replace(two_stage(), between=between)
    outcome = train_cohort(task, cohort_for(method), method, NET)
    one = train_cohort(task, cohort_for(erm, budget=replace(BUDGET, iterations=30)), erm, NET).weights
    assert torch.equal(outcome.weights["layer0.w"], 2 * one["layer0.w"])


@pytest.mark.parametrize(("needs", "train_rows", "shown"), [
    ({"fit_val"}, False, False), ({"fit_val", "attr_train"}, False, False), ({"fit_val", "attr_val"}, False, True),
    ({"fit_val", "attr_val"}, True, False), ({"fit_val", "attr_val", "attr_train"}, True, True),
    ({"attr_val"}, True, False), ({"attr_train"}, True, True),
])  # fmt: skip
def test_groups_of_the_second_stage_are_those_of_the_rows_it_learns_from(task, needs, train_rows, shown):
    seen = []

    def between(task, scores, hp, rng):
        parts = ([task.splits.train] if train_rows else []) + ([task.val_fit] if "fit_val" in needs else [])
        return Stage(Rows(index=np.concatenate(parts)), fresh="none")

    def init(info, hp, gen):
        seen.append(info.attr_counts.tolist())
        return {}, {}

    method = replace(two_stage(), between=between, init=init, needs=frozenset(needs))
    outcome = train_cohort(task, cohort_for(method, seeds=(0,)), method, NET)
    assert outcome.state == "finished" and (seen[-1][1] > 0) == shown
