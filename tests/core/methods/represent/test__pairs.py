from __future__ import annotations

import torch

from core.methods.represent._pairs import apart, centred, mean_over_pairs, shares


def test_shares_sum_to_one_in_every_group_that_is_present():
    onehot = torch.eye(3)[torch.tensor([0, 0, 2])]
    found = shares(onehot, torch.tensor([1.0, 3.0, 5.0]))
    assert found[:, 0].tolist() == [0.25, 0.75, 0.0]
    assert found.sum(0).tolist() == [1.0, 0.0, 1.0]


def test_distances_follow_from_inner_products():
    x = torch.tensor([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])
    assert apart(x @ x.T).tolist() == [[0.0, 25.0, 9.0], [25.0, 0.0, 16.0], [9.0, 16.0, 0.0]]


def test_the_mean_is_over_pairs_of_groups_that_take_part():
    d = torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 6.0], [2.0, 6.0, 0.0]])
    assert mean_over_pairs(d, torch.ones(3)).item() == 3.0
    assert mean_over_pairs(d, torch.tensor([1.0, 0.0, 1.0])).item() == 2.0
    assert mean_over_pairs(d, torch.tensor([0.0, 1.0, 0.0])).item() == 0.0


def test_centring_moves_all_rows_alike():
    h = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    assert centred(h).tolist() == [[-1.0, -2.0], [1.0, 2.0]]
