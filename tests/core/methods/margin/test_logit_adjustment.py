from __future__ import annotations

import pytest
import torch

from core import registry
from core.methods.margin.logit_adjustment import shift
from core.types import Batch

METHOD, NET = registry.method("logit_adjustment"), registry.net("linear")


def value(z, y, counts, tau):
    t = torch.eye(2)[torch.tensor([y])]
    weights = {"head.w": torch.zeros(1, 2), "head.b": torch.tensor(z)}
    batch = Batch(torch.zeros(1, 1), torch.tensor([y]), t, t, t, torch.ones(1), torch.tensor([0]))
    state = {"counts": torch.tensor(counts)}
    return METHOD.loss(NET, weights, state, batch, {"tau": torch.tensor(tau)})[0].item()


def test_flat_logits_lose_the_log_of_the_class_share_at_tau_one():
    assert value([0.0, 0.0], 1, [900.0, 100.0], 1.0) == pytest.approx(-torch.tensor(0.1).log().item(), rel=1e-5)


def test_tau_two_squares_the_odds_of_the_classes():
    # shares 0.9 and 0.1: odds 9, squared 81
    assert value([0.0, 0.0], 1, [900.0, 100.0], 2.0) == pytest.approx(torch.tensor(82.0).log().item(), rel=1e-5)


def test_tau_zero_and_equal_counts_change_nothing():
    plain = torch.nn.functional.cross_entropy(torch.tensor([[1.0, -0.5]]), torch.tensor([1])).item()
    assert value([1.0, -0.5], 1, [900.0, 100.0], 0.0) == pytest.approx(plain, rel=1e-6)
    assert value([1.0, -0.5], 1, [50.0, 50.0], 3.0) == pytest.approx(plain, rel=1e-6)


def test_a_class_without_rows_has_a_finite_shift():
    assert torch.isfinite(shift(torch.tensor([10.0, 0.0]), 1.0)).all()
