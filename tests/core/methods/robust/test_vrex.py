from __future__ import annotations

import math

import pytest
import torch

from core import registry
from core.types import Batch

METHOD, NET = registry.method("vrex"), registry.net("linear")
WEIGHTS = {"head.w": torch.zeros(1, 2), "head.b": torch.tensor([1.0, 0.0])}
LOW = math.log(1 + math.exp(-1.0))  # loss of class 0; that of class 1 is one more


def value(y, attr, lam, w=None, step=0.0, anneal=0.0, n_attrs=2):
    y = torch.tensor(y)
    t, a = torch.eye(2)[y], torch.eye(n_attrs)[torch.tensor(attr)]
    w = torch.ones(len(y)) if w is None else torch.tensor(w)
    state = {"step": torch.tensor(step), "steps": torch.tensor(10.0)}
    hp = {"lam": torch.tensor(lam), "anneal": torch.tensor(anneal)}
    found, after = METHOD.loss(NET, WEIGHTS, state, Batch(torch.zeros(len(y), 1), y, t, a, t, w, y), hp)
    assert after["step"] == step + 1
    return found.item()


def test_two_groups_by_hand():
    # group 0: rows of class 0, 0, 0; group 1: one of class 1. Risks LOW and LOW + 1: mean LOW + .5, variance .25
    assert value([0, 0, 0, 1], [0, 0, 0, 1], 10.0) == pytest.approx(LOW + 0.5 + 2.5, rel=1e-5)


def test_without_penalty_groups_have_the_same_say_whatever_their_size():
    assert value([0, 0, 0, 1], [0, 0, 0, 1], 0.0) == pytest.approx(LOW + 0.5, rel=1e-5)


def test_the_weight_is_one_while_waiting():
    args = ([0, 0, 0, 1], [0, 0, 0, 1], 10.0)
    assert value(*args, step=4.0, anneal=0.5) == pytest.approx(LOW + 0.5 + 0.25, rel=1e-5)
    assert value(*args, step=5.0, anneal=0.5) == pytest.approx(LOW + 0.5 + 2.5, rel=1e-5)


def test_one_group_is_plain_training_and_an_absent_group_changes_nothing():
    assert value([0, 0, 0, 1], [0] * 4, 10.0) == pytest.approx(LOW + 0.25, rel=1e-5)
    assert value([0, 1], [0, 2], 10.0, n_attrs=3) == pytest.approx(LOW + 0.5 + 2.5, rel=1e-5)


def test_data_weights_count_within_a_group_and_not_between_groups():
    # group 0: classes 0 and 1 with weights 3 and 1: risk LOW + .25; group 1: class 0, lightly weighted: LOW
    assert value([0, 1, 0], [0, 0, 1], 0.0, w=[3.0, 1.0, 0.01]) == pytest.approx(LOW + 0.125, rel=1e-5)
