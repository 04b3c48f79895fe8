from __future__ import annotations

import pytest
import torch

from core import registry
from core.checks.method import a_batch, a_model, toy
from core.methods.robust._bargaining import Table, deal
from core.methods.robust.minimax_regret import regrets

METHOD, NET = registry.method("minimax_regret"), registry.net("mlp")


def test_a_regret_is_what_the_groups_own_model_would_save():
    table = Table(torch.tensor([0.9, 0.4]), torch.ones(2), torch.ones(2), torch.tensor([0.6, 0.5]))
    assert regrets(table).tolist() == pytest.approx([0.3, -0.1])


def test_weights_grow_by_the_exponential_of_the_regret():
    weights, state, numbers, words = a_model(METHOD, toy(), 0)
    batch = a_batch(METHOD, toy())
    hp = {**words, **numbers, "wait": torch.tensor(0.0), "eta": torch.tensor(2.0)}
    q = METHOD.loss(NET, weights, state, batch, hp)[1]["q"]
    gap = regrets(deal(NET, weights, state, batch)[0])
    assert torch.allclose(q, torch.softmax(2.0 * gap.detach(), 0), atol=1e-5)
