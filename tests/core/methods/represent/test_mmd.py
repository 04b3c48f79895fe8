from __future__ import annotations

import math

import pytest
import torch

from core import registry
from core.methods.represent.mmd import BANDS, discrepancy, kernel
from core.types import Batch

METHOD = registry.method("mmd")


def k(d):
    return sum(math.exp(-s * d**2) for s in BANDS)


def test_two_groups_by_hand():
    # group 0 at 0 and 1, group 1 at 3: k(0,0) = (2*7 + 2k(1)) / 4, k(1,1) = 7, k(0,1) = (k(3) + k(2)) / 2
    h, a = torch.tensor([[0.0], [1.0], [3.0]]), torch.eye(2)[torch.tensor([0, 0, 1])]
    expected = (14 + 2 * k(1)) / 4 + 7 - (k(3) + k(2))
    assert discrepancy(h, a, torch.ones(3)).item() == pytest.approx(expected, rel=1e-5)


def test_it_equals_a_loop_over_pairs_of_groups():
    gen = torch.Generator().manual_seed(0)
    h, code = torch.randn(40, 3, generator=gen), torch.arange(40) % 3
    found = discrepancy(h, torch.eye(4)[code], torch.ones(40))  # the fourth group is absent
    whole, expected = kernel(h), []
    for i in range(3):
        for j in range(i + 1, 3):
            a, b = torch.where(code == i)[0], torch.where(code == j)[0]
            expected.append(whole[a][:, a].mean() + whole[b][:, b].mean() - 2 * whole[a][:, b].mean())
    assert found.item() == pytest.approx(torch.stack(expected).mean().item(), rel=1e-4)


def test_weights_count_as_repeated_rows_and_a_shift_of_all_rows_changes_nothing():
    h, a = torch.tensor([[0.0], [1.0], [3.0]]), torch.eye(2)[torch.tensor([0, 0, 1])]
    weighted = discrepancy(h, a, torch.tensor([2.0, 1.0, 1.0]))
    again = torch.tensor([0, 0, 1, 2])
    repeated = discrepancy(h[again], a[again], torch.ones(4))
    assert weighted.item() == pytest.approx(repeated.item(), rel=1e-5)
    assert discrepancy(h + 50, a, torch.ones(3)).item() == pytest.approx(
        discrepancy(h, a, torch.ones(3)).item(), rel=1e-4)  # fmt: skip


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
    whole = discrepancy(h, a, torch.ones(40))
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(discrepancy(h, a, torch.ones(40)), whole)
