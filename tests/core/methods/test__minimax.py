"""The world of the preference test: Ramesh et al., Group robust preference optimization, NeurIPS 2024 (log-linear)."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn.functional import softplus

from core.methods._minimax import evenly, update

LIKES = torch.tensor([[1.0, 3.0, 1.0, 3.0], [3.0, 1.0, 3.0, 1.0]])


def test_groups_without_rows_have_no_weight_and_stay_without():
    q = evenly(torch.tensor([5.0, 0.0, 1.0]))
    assert q.tolist() == [0.5, 0.0, 0.5]
    assert update(q, torch.tensor([0.0, 50.0, 0.0]), torch.ones(3), 1.0).tolist() == [0.5, 0.0, 0.5]
    assert evenly(torch.zeros(2)).tolist() == [0.0, 0.0]


def test_two_steps_are_one_step_on_the_sum_of_the_losses():
    q, here = torch.tensor([0.3, 0.7]), torch.ones(2)
    one, two = torch.tensor([0.2, 0.9]), torch.tensor([1.0, 0.1])
    apart = update(update(q, one, here, 0.5), two, here, 0.5)
    assert apart.tolist() == pytest.approx(update(q, one + two, here, 0.5).tolist(), rel=1e-6)


def features(state, action, group):
    """(N, 2), (N,), (N,) -> (N, 4); the second group reads the pairs the other way round."""
    grow = action[:, None] / 8 + 1
    pair = torch.stack([grow * torch.cos(math.pi * state), torch.sin(math.pi * state) / grow], -1)
    return torch.where(group[:, None, None] == 1, pair.flip(-1), pair).flatten(1)


def preferences(seed, sizes, noisy):
    """(N, 4) features of the preferred answer minus those of the other one, (N, 2) one-hot of the group."""
    gen = torch.Generator().manual_seed(seed)
    group = torch.repeat_interleave(torch.arange(2), torch.tensor(sizes))
    state = torch.rand(len(group), 2, generator=gen)
    first = torch.randint(8, (len(group),), generator=gen)
    other = (first + torch.randint(1, 8, (len(group),), generator=gen)) % 8
    gap = features(state, first, group) - features(state, other, group)
    reward = (gap * LIKES[group]).sum(-1)
    level = torch.rand(len(group), generator=gen) if noisy else torch.full((len(group),), 0.5)
    return gap * torch.where(torch.sigmoid(reward) > level, 1.0, -1.0)[:, None], torch.eye(2)[group]


def group_losses(theta, gap, onehot):
    return softplus(-(gap @ theta)) @ onehot / onehot.sum(0)


def worst_validation_loss(seed, robust, noisy, steps=600):
    gap, onehot = preferences(seed, [60, 240], noisy)
    theta, q = torch.zeros(4), evenly(onehot.sum(0))
    for _ in range(steps):
        theta.requires_grad_()
        losses = group_losses(theta, gap, onehot)
        if robust:
            q = update(q, losses.detach() + 1.0 / onehot.sum(0).sqrt(), torch.ones(2), 0.1)
        share = q if robust else onehot.mean(0)
        theta = (theta - 0.5 * torch.autograd.grad(share @ losses, theta)[0]).detach()
    return group_losses(theta, *preferences(seed + 100, [2000, 2000], noisy)).amax().item()


def mean_worst(robust, noisy):
    return sum(worst_validation_loss(seed, robust, noisy) for seed in range(3)) / 3


def test_robust_preferences_help_the_worst_group_of_labellers_and_hardly_where_labels_are_noisy():
    gain = mean_worst(False, False) - mean_worst(True, False)
    assert gain > 0.15  # 0.671 to 0.466
    assert 0.0 < mean_worst(False, True) - mean_worst(True, True) < gain / 3  # 0.686 to 0.646: the noise floor
