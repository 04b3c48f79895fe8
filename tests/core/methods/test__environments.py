from __future__ import annotations

import pytest
import torch

from core.methods._clock import clock, tick
from core.methods._environments import average, penalty_weight, risks
from core.types import Info


def test_risks_are_weighted_means_and_absent_environments_are_marked():
    each, w = torch.tensor([1.0, 3.0, 5.0]), torch.tensor([1.0, 3.0, 2.0])
    values, here = risks(each, torch.eye(3)[torch.tensor([0, 0, 2])], w)
    assert values.tolist() == [2.5, 0.0, 5.0] and here.tolist() == [1.0, 0.0, 1.0]
    assert average(values, here).item() == 3.75
    assert average(torch.zeros(2), torch.zeros(2)).item() == 0.0


def test_the_penalty_counts_once_until_its_share_of_the_iterations_is_over():
    info = Info(10, 1, 2, 1, 1, 4, 20, torch.ones(2), torch.ones(1), torch.ones(2))
    _, state = clock(info, {}, None)
    hp = {"lam": torch.tensor(50.0), "anneal": torch.tensor(0.1)}
    seen = []
    for _ in range(4):
        seen.append(penalty_weight(state, hp).item())
        state = tick(state)
    assert seen == pytest.approx([1.0, 1.0, 50.0, 50.0])
    assert penalty_weight(clock(info, {}, None)[1], hp | {"anneal": torch.tensor(0.0)}).item() == 50.0
