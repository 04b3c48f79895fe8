"""Residual network for tables: blocks of layer norm, two layers and a shortcut, as in the tabular literature.

Source: Gorishniy, Rubachev, Khrulkov, Babenko, Revisiting deep learning models for tabular data, NeurIPS 2021; layer
norm instead of batch norm, because batch norm's running statistics belong to no single model of a stack. No dropout.
"""

from __future__ import annotations

import torch
from torch.nn.functional import layer_norm

from core.nn.head import draw_linear
from core.types import Net, Param


def init(gen, n_features, n_classes, hp, image_shape):
    """Weights "first.*" (D, H), per block "block<k>.norm.w", ".norm.b" (H,), ".up.*" (H, 2H), ".down.*" (2H, H),
    "last.norm.w", "last.norm.b" (H,), "head.*" (H, C)."""
    hidden, weights = hp["hidden"], {}
    weights["first.w"], weights["first.b"] = draw_linear(gen, n_features, hidden)
    for k in range(hp["blocks"]):
        weights[f"block{k}.norm.w"], weights[f"block{k}.norm.b"] = torch.ones(hidden), torch.zeros(hidden)
        weights[f"block{k}.up.w"], weights[f"block{k}.up.b"] = draw_linear(gen, hidden, 2 * hidden)
        weights[f"block{k}.down.w"], weights[f"block{k}.down.b"] = draw_linear(gen, 2 * hidden, hidden)
    weights["last.norm.w"], weights["last.norm.b"] = torch.ones(hidden), torch.zeros(hidden)
    weights["head.w"], weights["head.b"] = draw_linear(gen, hidden, n_classes)
    return weights


def features(weights, x):
    """(B, D) -> (B, H)."""
    h, k = x @ weights["first.w"] + weights["first.b"], 0
    size = (h.shape[-1],)
    while f"block{k}.up.w" in weights:
        name = f"block{k}"
        inner = layer_norm(h, size, weights[f"{name}.norm.w"], weights[f"{name}.norm.b"])
        inner = torch.relu(inner @ weights[f"{name}.up.w"] + weights[f"{name}.up.b"])
        h = h + inner @ weights[f"{name}.down.w"] + weights[f"{name}.down.b"]
        k += 1
    return torch.relu(layer_norm(h, size, weights["last.norm.w"], weights["last.norm.b"]))


NET = Net(
    name="resnet_mlp",
    title="Residual network (ResNet-MLP)",
    summary="Blocks with shortcuts around them: deeper than an MLP and still easy to train.",
    params=(
        Param("hidden", 32, 4, 512, log=True, static=True, title="Width",
              help="Units that run through all blocks; inside a block there are twice as many."),
        Param("blocks", 2, 1, 8, static=True, title="Blocks", help="How many residual blocks."),
    ),
    init=init,
    features=features,
)  # fmt: skip
