from __future__ import annotations

import pytest
import torch

from core import registry
from core.methods.represent._pairs import shares
from core.methods.represent.coral import misalignment, moments
from core.types import Batch

METHOD = registry.method("coral")


def test_means_and_covariances_are_the_usual_ones():
    h, code = torch.randn(30, 3, generator=torch.Generator().manual_seed(0)), torch.arange(30) % 2
    mean, cov = moments(h, shares(torch.eye(2)[code], torch.ones(30)))
    for g in range(2):
        assert torch.allclose(mean[g], h[code == g].mean(0), atol=1e-6)
        assert torch.allclose(cov[g], h[code == g].T.cov(), atol=1e-5)


def test_two_groups_by_hand():
    # one feature: group 0 at 0, 2 (mean 1, variance 2), group 1 at 0, 6 (mean 3, variance 18): 2^2 + 16^2
    h, a = torch.tensor([[0.0], [2.0], [0.0], [6.0]]), torch.eye(2)[torch.tensor([0, 0, 1, 1])]
    assert misalignment(h, a, torch.ones(4)).item() == pytest.approx(260.0, rel=1e-5)


def test_it_equals_a_loop_over_pairs_of_groups():
    h, code = torch.randn(60, 4, generator=torch.Generator().manual_seed(0)), torch.arange(60) % 3
    found = misalignment(h, torch.eye(4)[code], torch.ones(60))  # the fourth group is absent
    expected = []
    for i in range(3):
        for j in range(i + 1, 3):
            a, b = h[code == i], h[code == j]
            expected.append((a.mean(0) - b.mean(0)).pow(2).mean() + (a.T.cov() - b.T.cov()).pow(2).mean())
    assert found.item() == pytest.approx(torch.stack(expected).mean().item(), rel=1e-4)


def test_a_group_with_one_row_is_left_out_and_slopes_stay_finite():
    h, a = torch.tensor([[0.0], [2.0], [7.0]]), torch.eye(2)[torch.tensor([0, 0, 1])]
    slope = torch.func.grad(lambda h: misalignment(h, a, torch.ones(3)))(h)
    assert misalignment(h, a, torch.ones(3)).item() == 0.0 and slope.tolist() == [[0.0]] * 3
    three = torch.eye(3)[torch.tensor([0, 0, 2, 1, 1])]
    h = torch.tensor([[0.0], [2.0], [7.0], [0.0], [6.0]])
    assert misalignment(h, three, torch.ones(5)).item() == pytest.approx(260.0, rel=1e-5)


def test_one_group_is_plain_training():
    net = registry.net("mlp")
    weights = net.init(torch.Generator().manual_seed(0), 2, 2, {"hidden": 4, "depth": 1}, None)
    x, y = torch.randn(6, 2, generator=torch.Generator().manual_seed(1)), torch.tensor([0, 1, 0, 1, 1, 0])
    t = torch.eye(2)[y]
    batch = Batch(x, y, t, torch.ones(6, 1), t, torch.ones(6), y)
    found = METHOD.loss(net, weights, {}, batch, {"gamma": torch.tensor(5.0)})[0]
    z = net.features(weights, x) @ weights["head.w"] + weights["head.b"]
    assert torch.allclose(found, torch.nn.functional.cross_entropy(z, y))


def test_half_precision_around_it_changes_nothing():
    gen = torch.Generator().manual_seed(0)
    h, a = torch.randn(40, 8, generator=gen) + 5, torch.eye(2)[torch.arange(40) % 2]
    whole = misalignment(h, a, torch.ones(40))
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(misalignment(h, a, torch.ones(40)), whole)
