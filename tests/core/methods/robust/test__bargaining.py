from __future__ import annotations

import math

import pytest
import torch

from core.methods.robust._bargaining import LEAST, RATE, Table, own_risks, running, start_risk, weighed
from core.types import Batch


def batch_of(y, attr, x, w=None, i=None):
    y, attr = torch.tensor(y), torch.tensor(attr)
    t, a = torch.eye(2)[y], torch.eye(2)[attr]
    w = torch.ones(len(y)) if w is None else torch.tensor(w)
    return Batch(torch.tensor(x), y, t, a, t, w, torch.arange(len(y)) if i is None else torch.tensor(i))


def test_where_a_group_starts_is_the_loss_of_everyones_class_shares():
    # shares 5/10 and 5/10 overall: every row costs log 2 whatever its group holds
    assert start_risk(torch.tensor([[4.0, 1.0], [1.0, 4.0]])).tolist() == pytest.approx([math.log(2)] * 2)
    got = start_risk(torch.tensor([[6.0, 0.0], [2.0, 2.0], [0.0, 0.0]]))
    assert got.tolist() == pytest.approx([-math.log(0.8), -0.5 * math.log(0.8 * 0.2), 0.0])


def test_a_running_risk_of_constant_values_is_that_value_and_waits_for_absent_groups():
    old = filled = torch.zeros(2)
    for _ in range(3):
        old, filled = running(old, filled, torch.tensor([0.7, 9.0]), torch.tensor([1.0, 0.0]))
    assert (old / filled.clamp(min=1e-12)).tolist() == pytest.approx([0.7, 0.0])
    assert filled.tolist() == pytest.approx([1 - (1 - RATE) ** 3, 0.0])


def test_own_layers_are_measured_on_rows_they_do_not_learn_from():
    slope, level = torch.zeros(2, 2, 1, 2), torch.zeros(2, 2, 2)
    level[0, 0, 0] = 1.0  # layer 0 of group 0 (learns from even rows) leans to class 0
    weights = {"own.slope": slope, "own.level": level}
    right, wrong = math.log(1 + math.exp(-1.0)), math.log(1 + math.exp(1.0))
    batch = batch_of([0, 1, 0], [0, 0, 0], [[0.0]] * 3)
    fitted, held, here = own_risks(weights, torch.zeros(3, 1), batch)
    assert fitted.item() == pytest.approx(right + math.log(2), rel=1e-5)  # layer 0 on rows 0, 2; layer 1 on row 1
    assert held[0].item() == pytest.approx((wrong + 2 * math.log(2)) / 3, rel=1e-5)
    assert here.tolist() == [1.0, 0.0]


def test_own_layers_leave_the_features_alone():
    weights = {"own.slope": torch.ones(2, 2, 1, 2), "own.level": torch.zeros(2, 2, 2)}
    h = torch.ones(3, 1, requires_grad=True)
    fitted, _, _ = own_risks(weights, h, batch_of([0, 1, 0], [0, 1, 0], [[0.0]] * 3))
    assert not fitted.requires_grad


def test_room_is_kept_above_a_share_of_the_start_and_say_is_scaled():
    table = Table(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 0.0]), torch.tensor([0.6, 0.6]),
                  torch.tensor([0.1, 0.7]))
    assert table.room.tolist() == pytest.approx([0.5, LEAST * 0.6])
    assert weighed(table, torch.tensor([1.0, 3.0])).item() == pytest.approx(0.25)
