from __future__ import annotations

import pytest
import torch

from core.methods.constraint._gaps import positives, punish, spreads

A = torch.eye(2)[torch.tensor([0, 0, 1])]


def test_the_spread_is_between_weighted_group_means():
    p = torch.tensor([[0.2], [0.4], [0.9]])
    assert spreads(p, A, torch.ones(3)).tolist() == pytest.approx([0.6])
    assert spreads(p, A, torch.tensor([3.0, 1.0, 1.0])).tolist() == pytest.approx([0.65])


def test_one_group_has_nothing_to_compare():
    p = torch.tensor([[0.2], [0.4]])
    assert spreads(p, A[:2], torch.ones(2)).tolist() == [0.0]


def test_two_classes_are_compared_once_and_more_classes_each():
    assert positives(torch.zeros(5, 2)).shape == (5, 1) and positives(torch.zeros(5, 3)).shape == (5, 3)


def test_a_gap_is_punished_squared_or_as_it_is():
    gap = torch.tensor([0.5])
    assert punish(gap, "squared").item() == 0.25 and punish(gap, "absolute").item() == 0.5
