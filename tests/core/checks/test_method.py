from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from core import registry
from core.checks.method import CHECKS
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Param, Rows


@pytest.mark.parametrize(("name", "check"), [(m, c) for m in registry.methods() for c in CHECKS], ids=lambda v: v)
def test_method_conforms(name, check):
    CHECKS[check](registry.method(name))


def faulty(**changes):
    return replace(registry.method("erm"), equation="x", **changes)


def test_the_suite_catches_a_method_that_peeks_at_undeclared_groups():
    def prepare(task, hp, rng):
        return Rows(weight=1.0 + task.attr[task.splits.train])

    with pytest.raises(AssertionError, match="attr_train"):
        CHECKS["needs_are_honest"](faulty(prepare=prepare))


def test_the_suite_catches_a_false_limit():
    def loss(net, weights, state, batch, hp):
        return 2.0 * weighted_mean(cross_entropy(logits(net, weights, batch.x) * 0.5, batch.t), batch.w), state

    with pytest.raises(AssertionError, match="differs from erm"):
        CHECKS["declared_limits_hold"](faulty(loss=loss, limits=(({}, "erm", {}),)))


def test_the_suite_catches_global_randomness():
    def prepare(task, hp, rng):
        return Rows(weight=torch.rand(len(task.splits.train)).numpy())

    with pytest.raises(AssertionError, match="same seed|global generator"):
        CHECKS["same_seed_same_result"](faulty(prepare=prepare))


def test_the_suite_catches_a_default_outside_its_range():
    with pytest.raises((AssertionError, ValueError)):
        CHECKS["defaults_are_allowed"](faulty(params=(Param("eta", 5.0, 0.0, 1.0, help="h", title="t"),)))


def test_the_suite_catches_mutated_inputs():
    def prepare(task, hp, rng):
        task.w[:] = task.w * 1.0000001 + 1e-4
        return Rows()

    with pytest.raises(AssertionError, match="in place"):
        CHECKS["inputs_are_not_mutated"](faulty(prepare=prepare))
