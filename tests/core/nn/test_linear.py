from __future__ import annotations

import torch

from core import registry
from core.nn.head import logits


def test_a_linear_model_is_x_times_w_plus_b():
    net = registry.net("linear")
    weights = net.init(torch.Generator().manual_seed(0), 4, 3, {}, None)
    x = torch.randn(5, 4, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(logits(net, weights, x), x @ weights["head.w"] + weights["head.b"])
