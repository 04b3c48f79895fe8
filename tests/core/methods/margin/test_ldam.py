from __future__ import annotations

import pytest
import torch

from core import registry
from core.methods.margin.ldam import margins
from core.types import Batch


def test_margins_fall_with_the_fourth_root_of_the_class_size():
    assert margins(torch.tensor([900.0, 100.0]), 0.5).tolist() == pytest.approx([0.2887, 0.5], abs=1e-4)
    assert margins(torch.tensor([16.0, 0.0, 1.0]), 1.0).tolist() == pytest.approx([0.5, 1.0, 1.0])


def test_the_margin_is_taken_from_the_true_class_alone():
    method, net = registry.method("ldam"), registry.net("linear")
    weights = {"head.w": torch.eye(2), "head.b": torch.zeros(2), "head.scale": torch.tensor(10.0)}
    y = torch.tensor([0])
    t = torch.eye(2)[y]
    batch = Batch(torch.tensor([[3.0, 4.0]]), y, t, t, t, torch.ones(1), y)  # cosines 0.6 and 0.8
    value, _ = method.loss(net, weights, {"margin": torch.tensor([0.1, 0.5])}, batch, {})
    expected = torch.nn.functional.cross_entropy(torch.tensor([[5.0, 8.0]]), y)
    assert value == pytest.approx(float(expected), rel=1e-5)
