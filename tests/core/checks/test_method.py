from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core import registry
from core.checks.method import CHECKS
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import BadInput, Param, Rows


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


def test_the_suite_catches_numpys_global_generator_wherever_it_stands():
    def prepare(task, hp, rng):
        np.random.rand(1)
        return Rows()

    np.random.rand(5)  # leaves the generator in the middle of its block
    with pytest.raises(AssertionError, match="generator of NumPy"):
        CHECKS["same_seed_same_result"](faulty(prepare=prepare))


def test_the_suite_catches_row_weights_whose_mean_is_not_one():
    def prepare(task, hp, rng):
        return Rows(weight=np.full(len(task.splits.train), 0.36))

    with pytest.raises(AssertionError, match="mean loss weight is 0.3"):
        CHECKS["row_weights_keep_the_mean"](faulty(prepare=prepare))


@pytest.mark.parametrize("words", ["shape", "state", "in place"])
def test_the_suite_catches_losses_of_a_wrong_form(words):
    def init(info, hp, gen):
        return {}, {"n": torch.zeros(())}

    def loss(net, weights, state, batch, hp):
        each = cross_entropy(logits(net, weights, batch.x), batch.t) * batch.w
        if words == "shape":
            return each, state
        if words == "in place":
            return each.mean(), {"n": state["n"].add_(1)}
        return each.mean(), {"n": torch.zeros(2)}

    with pytest.raises(AssertionError, match=words):
        CHECKS["loss_is_a_finite_number_and_state_keeps_its_form"](faulty(init=init, loss=loss))


def test_the_suite_catches_gradients_that_leak_between_stacked_models():
    seen = []

    def step(net, loss, weights, state, batch, hp):
        seen.append(1)
        return {k: v * len(seen) for k, v in weights.items()}, state

    with pytest.raises(AssertionError, match="from that of the model alone"):
        CHECKS["stacked_gradients_equal_single_ones"](faulty(step=step))


def test_the_suite_catches_a_loss_that_forgets_the_weights_of_the_data():
    def loss(net, weights, state, batch, hp):
        return cross_entropy(logits(net, weights, batch.x), batch.t).mean(), state

    with pytest.raises(AssertionError, match="ignores the data's own weights"):
        CHECKS["weights_of_the_data_count"](faulty(loss=loss))


def test_the_suite_catches_undeclared_learning_from_validation_labels():
    def prepare(task, hp, rng):
        return Rows(weight=np.full(len(task.splits.train), 1.0 + task.y[task.splits.val].mean()))

    with pytest.raises(AssertionError, match="labels of val rows"):
        CHECKS["held_out_labels_are_not_learned_from"](faulty(prepare=prepare))


def test_the_suite_catches_a_method_that_needs_two_classes_without_saying_so():
    def prepare(task, hp, rng):
        if task.n_classes != 2:
            raise BadInput("Label", "3 classes", "two classes", "leave this method out")
        return Rows()

    with pytest.raises(AssertionError, match="without declaring 'binary'"):
        CHECKS["more_than_two_classes"](faulty(prepare=prepare))


def test_the_suite_catches_a_method_that_does_not_live_in_the_folder_of_its_family():
    with pytest.raises((AssertionError, ModuleNotFoundError)):
        CHECKS["docstring"](faulty(family="robust"))
