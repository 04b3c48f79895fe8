from __future__ import annotations

import pytest
import torch

from core import registry
from core.types import Batch

A = torch.eye(2)[torch.tensor([0, 0, 1])]


@pytest.mark.parametrize(("shape", "power"), [("squared", 2), ("absolute", 1)])
def test_the_loss_adds_lambda_times_the_gap_in_its_shape(shape, power):
    method, net = registry.method("dp_penalty"), registry.net("linear")
    weights = {"head.w": torch.tensor([[0.0, 1.0]]), "head.b": torch.zeros(2)}
    x = torch.tensor([[0.0], [0.0], [2.0]])
    y = torch.tensor([0, 1, 1])
    batch = Batch(x, y, torch.eye(2)[y], A, A, torch.ones(3), y)
    plain, with_penalty = (
        method.loss(net, weights, {}, batch, {"lam": torch.tensor(v), "shape": shape})[0] for v in (0.0, 3.0)
    )
    gap = float(torch.sigmoid(torch.tensor(2.0))) - 0.5
    assert float(with_penalty - plain) == pytest.approx(3 * gap**power, rel=1e-4)
