from __future__ import annotations

import pytest
import torch

from core import registry
from core.nn.head import logits


@pytest.mark.parametrize("depth", [1, 3])
def test_an_mlp_equals_the_same_layers_in_torch_nn(depth):
    net = registry.net("mlp")
    weights = net.init(torch.Generator().manual_seed(0), 4, 3, {"hidden": 7, "depth": depth}, None)
    layers, width = [], 4
    for k in range(depth):
        layer = torch.nn.Linear(width, 7)
        layer.weight.data, layer.bias.data = weights[f"layer{k}.w"].T.clone(), weights[f"layer{k}.b"].clone()
        layers += [layer, torch.nn.ReLU()]
        width = 7
    last = torch.nn.Linear(7, 3)
    last.weight.data, last.bias.data = weights["head.w"].T.clone(), weights["head.b"].clone()
    x = torch.randn(5, 4, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(logits(net, weights, x), torch.nn.Sequential(*layers, last)(x))
