from __future__ import annotations

import math

import pytest
import torch
from torch.func import grad

from core import registry
from core.methods.robust.irm import penalty, slopes
from core.types import Batch

METHOD, NET = registry.method("irm"), registry.net("linear")


def test_the_slope_is_the_derivative_in_a_scale_of_the_logits():
    gen = torch.Generator().manual_seed(0)
    z, y = torch.randn(5, 3, generator=gen), torch.tensor([0, 2, 1, 1, 0])
    for i in range(5):
        own = grad(lambda s, i=i: torch.nn.functional.cross_entropy(s * z[i : i + 1], y[i : i + 1]))(torch.tensor(1.0))
        assert slopes(z, torch.eye(3)[y])[i].item() == pytest.approx(own.item(), abs=1e-6)


def test_the_penalty_multiplies_the_means_of_every_other_row_within_each_group():
    each = torch.tensor([1.0, 10.0, 2.0, 3.0, 20.0, -5.0])
    onehot = torch.eye(2)[torch.tensor([0, 1, 0, 0, 1, 1])]
    # group 0: rows 1, 2, 3 -> (1 + 3) / 2 * 2 = 4; group 1: rows 10, 20, -5 -> (10 - 5) / 2 * 20 = 50
    assert penalty(each, onehot, torch.ones(6)).item() == pytest.approx(27.0)


def test_the_penalty_can_be_negative():
    assert penalty(torch.tensor([1.0, -2.0]), torch.ones(2, 1), torch.ones(2)).item() == -2.0


def test_a_group_with_one_row_has_no_penalty_and_one_row_alone_leaves_a_finite_loss():
    onehot = torch.eye(2)[torch.tensor([0, 0, 1])]
    assert penalty(torch.tensor([2.0, 3.0, 9.0]), onehot, torch.ones(3)).item() == pytest.approx(6.0)
    assert penalty(torch.tensor([2.0]), torch.ones(1, 1), torch.ones(1)).item() == 0.0


def value(lam, anneal=0.0):
    """Group 0: three rows of class 0; group 1: one of class 1; logits (1, 0) for everybody."""
    y = torch.tensor([0, 0, 0, 1])
    t = torch.eye(2)[y]
    weights = {"head.w": torch.zeros(1, 2), "head.b": torch.tensor([1.0, 0.0])}
    state = {"step": torch.tensor(0.0), "steps": torch.tensor(10.0)}
    hp = {"lam": torch.tensor(lam), "anneal": torch.tensor(anneal)}
    return METHOD.loss(NET, weights, state, Batch(torch.zeros(4, 1), y, t, t, t, torch.ones(4), y), hp)[0].item()


def test_loss_by_hand_with_and_without_waiting():
    low, p = math.log(1 + math.exp(-1.0)), 1 / (1 + math.exp(-1.0))
    assert value(0.0) == pytest.approx(low + 0.5, rel=1e-5)
    assert value(100.0) == pytest.approx(low + 0.5 + 100 * (p - 1) ** 2, rel=1e-5)
    assert value(100.0, anneal=0.5) == pytest.approx(low + 0.5 + (p - 1) ** 2, rel=1e-5)
