from __future__ import annotations

import pytest
import torch

from core import registry
from core.nn.head import logits
from core.types import BadInput

HP = {"channels": 2, "hidden": 5}


def test_the_network_reads_channels_height_and_width_in_that_order():
    net = registry.net("cnn")
    weights = net.init(torch.Generator().manual_seed(0), 3 * 64, 2, HP, (3, 8, 8))
    image = torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(1))
    conv = torch.nn.functional.conv2d(image, weights["conv0.w"], weights["conv0.b"], padding=1)
    assert net.features(weights, image.flatten(1)).shape == (2, 5) and conv.shape == (2, 2, 8, 8)
    moved = image.roll(1, dims=1)
    assert not torch.allclose(logits(net, weights, image.flatten(1)), logits(net, weights, moved.flatten(1)))


def test_a_stack_of_networks_equals_each_of_them():
    net = registry.net("cnn")
    ones = [net.init(torch.Generator().manual_seed(s), 64, 2, HP, (1, 8, 8)) for s in range(2)]
    stack = {k: torch.stack([w[k] for w in ones]) for k in ones[0]}
    x = torch.randn(3, 64, generator=torch.Generator().manual_seed(1))
    both = torch.func.vmap(lambda w: logits(net, w, x))(stack)
    torch.testing.assert_close(both[1], logits(net, ones[1], x), rtol=1e-4, atol=1e-5)


def test_tables_without_images_are_refused():
    with pytest.raises(BadInput, match="images"):
        registry.net("cnn").init(torch.Generator(), 10, 2, HP, None)
