from __future__ import annotations

import math

import pytest
import torch
from toys import BUDGET, cohort_for, make_task

from core import registry
from core.engine.train import train_cohort
from core.types import Batch

METHOD, NET = registry.method("sd"), registry.net("linear")


def test_loss_by_hand_with_weights():
    weights = {"head.w": torch.zeros(1, 2), "head.b": torch.tensor([2.0, 0.0])}
    y = torch.tensor([0, 1])
    t = torch.eye(2)[y]
    batch = Batch(torch.zeros(2, 1), y, t, t, t, torch.tensor([1.5, 0.5]), y)
    found = METHOD.loss(NET, weights, {}, batch, {"lam": torch.tensor(0.1)})[0].item()
    low = math.log(1 + math.exp(-2.0))
    assert found == pytest.approx((1.5 * (low + 0.2) + 0.5 * (low + 2 + 0.2)) / 2, rel=1e-5)


def test_a_larger_weight_leaves_more_timid_scores():
    cohort = cohort_for(METHOD, seeds=(0,), budget=BUDGET, lam=(0.0, 1.0, 100.0))
    scores = train_cohort(make_task(), cohort, METHOD, registry.net("mlp")).test.score
    spread = abs(scores - 0.5).mean(1)
    assert spread[0] > spread[1] > spread[2]
