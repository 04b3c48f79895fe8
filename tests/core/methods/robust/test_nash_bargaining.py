from __future__ import annotations

import pytest
import torch

from core.methods.robust._bargaining import LEAST
from core.methods.robust.nash_bargaining import say


def test_weights_are_the_gradient_of_the_sum_of_logarithms():
    start, risk = torch.tensor([0.7, 0.6]), torch.tensor([0.5, 0.2], requires_grad=True)
    slope = torch.autograd.grad(-torch.log(start - risk).sum(), risk)[0]
    assert say(start, risk.detach(), torch.ones(2)).tolist() == pytest.approx(slope.tolist(), rel=1e-5)


def test_a_group_without_gain_weighs_as_with_the_least_one_and_an_unseen_one_nothing():
    got = say(torch.tensor([0.5, 0.5]), torch.tensor([0.9, 0.1]), torch.tensor([1.0, 0.0]))
    assert got.tolist() == pytest.approx([1 / (LEAST * 0.5), 0.0])
