from __future__ import annotations

import torch

from core import group

ONEHOT = torch.eye(3)[torch.tensor([0, 0, 1, 1, 1])]
VALUES = torch.tensor([1.0, 3.0, 2.0, 4.0, 6.0])


def test_means_sizes_and_presence_with_an_empty_group():
    assert group.sizes(ONEHOT).tolist() == [2, 3, 0]
    assert group.means(VALUES, ONEHOT).tolist() == [2, 4, 0]
    assert group.present(ONEHOT).tolist() == [1, 1, 0]


def test_weights_weigh():
    w = torch.tensor([3.0, 1.0, 1.0, 1.0, 1.0])
    assert group.means(VALUES, ONEHOT, w).tolist() == [1.5, 4, 0]


def test_worst_and_spread_leave_absent_groups_out():
    assert group.worst(-VALUES, ONEHOT) == -2.0
    assert group.spread(VALUES, ONEHOT) == 2.0
    assert group.spread(VALUES[:2], ONEHOT[:2]) == 0.0


def test_operations_are_safe_under_vmap_and_grad():
    stacked = torch.stack([VALUES, VALUES * 2])
    grads = torch.func.vmap(torch.func.grad(lambda v: group.spread(v, ONEHOT)))(stacked)
    assert torch.isfinite(grads).all()
    both = torch.func.vmap(lambda v: group.means(v, ONEHOT))(stacked)
    assert both[1].tolist() == [4, 8, 0]
