from __future__ import annotations

import math

import pytest
import torch

from core import registry
from core.types import Batch


def test_a_small_group_counts_as_much_as_a_large_one():
    y = torch.tensor([0, 0, 0, 1])
    t = torch.eye(2)[y]
    weights = {"head.w": torch.zeros(1, 2), "head.b": torch.tensor([1.0, 0.0])}
    batch = Batch(torch.zeros(4, 1), y, t, t, t, torch.ones(4), y)
    value, _ = registry.method("utilitarian").loss(registry.net("linear"), weights, {}, batch, {})
    assert value.item() == pytest.approx(math.log(1 + math.exp(-1.0)) + 0.5, rel=1e-5)  # not + 0.25 as over rows
