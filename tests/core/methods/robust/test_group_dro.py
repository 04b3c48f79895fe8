from __future__ import annotations

import pytest
import torch

from core import registry
from core.methods.robust.group_dro import update
from core.types import Batch, Info

METHOD = registry.method("group_dro")


def test_known_update_of_two_groups():
    q = update(torch.tensor([0.5, 0.5]), torch.tensor([0.2, 1.2]), torch.ones(2), 0.5)
    assert q.tolist() == pytest.approx([0.3775, 0.6225], abs=1e-4)
    assert float(q @ torch.tensor([0.2, 1.2])) == pytest.approx(0.8225, abs=1e-4)


def test_absent_groups_are_not_scaled():
    q = update(torch.tensor([0.25, 0.25, 0.5]), torch.tensor([1.0, 9.0, 0.0]), torch.tensor([1.0, 0.0, 1.0]), 1.0)
    raw = torch.tensor([0.25 * 2.718281828, 0.25, 0.5])
    assert q.tolist() == pytest.approx((raw / raw.sum()).tolist(), rel=1e-5)


def test_groups_without_training_rows_start_and_stay_at_zero():
    counts = torch.tensor([10.0, 0.0, 30.0, 40.0])
    info = Info(80, 2, 2, 2, 2, 8, 10, counts.view(2, 2).sum(1), counts.view(2, 2).sum(0), counts)
    _, state = METHOD.init(info, {"adjustment": 1.0}, None)
    assert state["q"].tolist() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    assert state["extra"].tolist() == pytest.approx([10**-0.5, 0, 30**-0.5, 40**-0.5])


def test_at_eta_zero_the_loss_is_the_mean_of_group_losses_and_not_of_rows():
    net = registry.net("linear")
    weights = {"head.w": torch.zeros(1, 2), "head.b": torch.tensor([1.0, 0.0])}
    y = torch.tensor([0, 0, 0, 1])
    t = torch.eye(2)[y]
    s = torch.eye(2)[y]
    batch = Batch(torch.zeros(4, 1), y, t, t, s, torch.ones(4), y)
    state = {"q": torch.tensor([0.5, 0.5]), "extra": torch.zeros(2)}
    value, _ = METHOD.loss(net, weights, state, batch, {"eta": torch.tensor(0.0)})
    z = torch.tensor([[1.0, 0.0]]).expand(2, 2)
    each = torch.nn.functional.cross_entropy(z, torch.tensor([0, 1]), reduction="none")
    assert float(value) == pytest.approx(float(each.mean()), rel=1e-5)


def test_the_size_adjustment_moves_weight_to_the_smaller_group():
    losses, extra = torch.tensor([1.0, 1.0]), torch.tensor([0.1, 0.5])
    q = update(torch.tensor([0.5, 0.5]), losses + extra, torch.ones(2), 1.0)
    assert q[1] > q[0]


def test_large_steps_and_losses_stay_finite():
    q = update(torch.tensor([0.5, 0.5]), torch.tensor([60.0, 1.0]), torch.ones(2), 10.0)
    assert q.tolist() == [1.0, 0.0]
    assert update(torch.tensor([0.0, 1.0]), torch.tensor([900.0, 1.0]), torch.ones(2), 10.0).tolist() == [0.0, 1.0]


def test_a_group_of_lightly_weighted_rows_has_its_own_mean_loss():
    net = registry.net("linear")
    weights = {"head.w": torch.zeros(1, 2), "head.b": torch.tensor([1.0, 0.0])}
    y = torch.tensor([0, 1])
    t = torch.eye(2)[y]
    state = {"q": torch.tensor([0.5, 0.5]), "extra": torch.zeros(2)}
    values = []
    for w in (torch.tensor([1.0, 1.0]), torch.tensor([1.0, 0.01])):
        batch = Batch(torch.zeros(2, 1), y, t, t, t, w, y)
        values.append(METHOD.loss(net, weights, state, batch, {"eta": torch.tensor(1.0)}))
    assert torch.allclose(values[0][0], values[1][0]) and torch.allclose(values[0][1]["q"], values[1][1]["q"])
    assert values[1][1]["q"][1] > 0.5
