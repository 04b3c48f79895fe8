from __future__ import annotations

import pytest
import torch
from torch.func import grad

from core.methods.margin.gce import generalised

Z, T = torch.tensor([[2.0, 0.0]]), torch.tensor([[0.0, 1.0]])
P = torch.softmax(Z, -1)[0, 1].item()


def at(q, z=Z):
    return generalised(z, T, torch.tensor(q))


def test_values_by_hand():
    assert at(1.0).item() == pytest.approx(1 - P)
    assert at(0.7).item() == pytest.approx((1 - P**0.7) / 0.7, rel=1e-5)


@pytest.mark.parametrize("q", [0.0, 1e-6, 1e-3])
def test_small_q_approaches_cross_entropy(q):
    assert at(q).item() == pytest.approx(-torch.tensor(P).log().item(), rel=2e-3)


@pytest.mark.parametrize("q", [0.3, 0.7, 1.0])
def test_the_slope_is_that_of_cross_entropy_times_p_to_the_q(q):
    own = grad(lambda z: at(q, z).sum())(Z)
    plain = grad(lambda z: at(0.0, z).sum())(Z)
    assert torch.allclose(own, P**q * plain, atol=1e-6)


def test_a_hopeless_row_has_a_finite_slope_that_vanishes():
    slope = grad(lambda z: at(0.7, z).sum())(torch.tensor([[200.0, 0.0]]))
    assert torch.isfinite(slope).all() and slope.abs().max() < 1e-6
