"""Fully connected network with ReLU."""

from __future__ import annotations

import torch

from core.nn.head import draw_linear
from core.types import Net, Param


def init(gen, n_features, n_classes, hp, image_shape):
    """Weights "layer<k>.w" (in, out), "layer<k>.b" (out,), "head.w" (H, C), "head.b" (C,)."""
    weights, width = {}, n_features
    for k in range(hp["depth"]):
        weights[f"layer{k}.w"], weights[f"layer{k}.b"] = draw_linear(gen, width, hp["hidden"])
        width = hp["hidden"]
    weights["head.w"], weights["head.b"] = draw_linear(gen, width, n_classes)
    return weights


def features(weights, x):
    """(B, D) -> (B, H): the last hidden layer."""
    k = 0
    while f"layer{k}.w" in weights:
        x = torch.relu_(x @ weights[f"layer{k}.w"] + weights[f"layer{k}.b"])
        k += 1
    return x


NET = Net(
    name="mlp",
    title="Neural network (MLP)",
    summary="One or more hidden layers of ReLU units: learns interactions between features.",
    params=(
        Param(
            "hidden",
            64,
            2,
            1024,
            log=True,
            static=True,
            title="Hidden units",
            help="Units in each hidden layer. More units can fit finer patterns and take longer.",
        ),
        Param("depth", 1, 1, 4, static=True, title="Hidden layers", help="How many hidden layers."),
    ),
    init=init,
    features=features,
)
