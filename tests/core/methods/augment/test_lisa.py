from __future__ import annotations

import numpy as np
import pytest
import torch
from toys import make_task

from core import registry
from core.methods._random import symmetric_beta, uniform
from core.methods.augment.lisa import partners
from core.types import Batch

METHOD, NET = registry.method("lisa"), registry.net("linear")
WEIGHTS = NET.init(torch.Generator().manual_seed(0), 6, 2, {}, None)


def a_batch(attr=None, n=60):
    task = make_task(n)
    x, y = torch.from_numpy(task.x), torch.from_numpy(task.y)
    attr = torch.from_numpy(task.attr) if attr is None else attr
    t, a = torch.eye(2)[y], torch.eye(2)[attr]
    return Batch(x, y, t, a, t, torch.ones(n), y)


def value(batch, alpha, p_sel, counter=0):
    hp = {"alpha": torch.tensor(alpha), "p_sel": torch.tensor(p_sel)}
    state = {"seed": torch.tensor(7), "counter": torch.tensor(counter)}
    return METHOD.loss(NET, WEIGHTS, state, batch, hp)


def plain(batch):
    return torch.nn.functional.cross_entropy(batch.x @ WEIGHTS["head.w"] + WEIGHTS["head.b"], batch.y)


def test_partners_fit_and_are_drawn_evenly():
    fits = torch.tensor([[0.0, 1.0, 0.0, 1.0, 1.0]]).expand(6000, 5)
    u = uniform(torch.tensor(1), torch.tensor(0), 6000)
    share = np.bincount(partners(fits, u).numpy(), minlength=5) / 6000
    assert share == pytest.approx([0, 1 / 3, 0, 1 / 3, 1 / 3], abs=0.02) and share[[0, 2]].tolist() == [0, 0]


def test_a_row_without_a_fit_keeps_itself_and_a_draw_next_to_one_stays_inside():
    found = partners(torch.tensor([[0.0, 1.0], [0.0, 0.0]]), torch.tensor([1.0, 1.0]))
    assert found.tolist() == [1, 1]


def test_each_strategy_by_hand():
    # rows 0, 1: class 0 in groups 0 and 1; row 2: class 1 in group 0. Fits: by class 0 <-> 1; within the group 0 <-> 2
    x = torch.tensor([[1.0] + [0.0] * 5, [0.0, 1.0] + [0.0] * 4, [0.0, 0.0, 1.0] + [0.0] * 3])
    y, attr = torch.tensor([0, 0, 1]), torch.tensor([0, 1, 0])
    t = torch.eye(2)[y]
    batch = Batch(x, y, t, torch.eye(2)[attr], t, torch.ones(3), y)
    m = symmetric_beta(uniform(torch.tensor(7), torch.tensor(0), 2)[:1], 2.0)[0]
    for p_sel, j in ((1.0, [1, 0, 2]), (0.0, [2, 1, 0])):
        z = (m * x + (1 - m) * x[j]) @ WEIGHTS["head.w"] + WEIGHTS["head.b"]
        both = [torch.nn.functional.cross_entropy(z, target) for target in (y, y[j])]
        assert value(batch, 2.0, p_sel)[0].item() == pytest.approx((m * both[0] + (1 - m) * both[1]).item(), rel=1e-5)


def test_one_group_and_same_class_mixing_is_plain_training():
    batch = a_batch(torch.zeros(60, dtype=torch.int64))
    assert torch.allclose(value(batch, 2.0, 1.0)[0], plain(batch))
    assert not torch.allclose(value(batch, 2.0, 0.0)[0], plain(batch))


def test_alpha_zero_is_plain_training_and_every_step_mixes_anew():
    batch = a_batch()
    assert torch.allclose(value(batch, 0.0, 0.5)[0], plain(batch))
    (one, after), (two, _) = value(batch, 2.0, 0.5), value(batch, 2.0, 0.5, counter=1)
    assert one != two and int(after["counter"]) == 1
