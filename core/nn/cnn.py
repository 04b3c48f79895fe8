"""Small convolutional network for images: two 3x3 convolutions with pooling, one hidden layer."""

from __future__ import annotations

import torch
from torch.nn.functional import conv2d, max_pool2d

from core.nn.head import draw_linear
from core.types import BadInput, Net, Param


def _draw_filters(gen, n_out, n_in):
    bound = 1.0 / (n_in * 9) ** 0.5
    return torch.empty(n_out, n_in, 3, 3).uniform_(-bound, bound, generator=gen)


def init(gen, n_features, n_classes, hp, image_shape):
    """Weights "conv<k>.w" (out, in, 3, 3), "conv<k>.b" (out,), "layer.w", "layer.b", "head.w", "head.b"."""
    if image_shape is None:
        raise BadInput("Architecture", "a table without images", "a data set of images for the CNN", "choose MLP")
    channels, height, width = image_shape
    maps = hp["channels"]
    flat = 2 * maps * (height // 4) * (width // 4)
    weights = {
        "conv0.w": _draw_filters(gen, maps, channels),
        "conv0.b": torch.zeros(maps),
        "conv1.w": _draw_filters(gen, 2 * maps, maps),
        "conv1.b": torch.zeros(2 * maps),
    }
    weights["layer.w"], weights["layer.b"] = draw_linear(gen, flat, hp["hidden"])
    weights["head.w"], weights["head.b"] = draw_linear(gen, hp["hidden"], n_classes)
    return weights


def features(weights, x):
    """(B, channels * side * side) -> (B, H). Images are square."""
    channels = weights["conv0.w"].shape[-3]
    side = round((x.shape[-1] / channels) ** 0.5)
    h = x.reshape(x.shape[0], channels, side, side)
    for k in range(2):
        h = max_pool2d(torch.relu(conv2d(h, weights[f"conv{k}.w"], weights[f"conv{k}.b"], padding=1)), 2)
    return torch.relu(h.flatten(1) @ weights["layer.w"] + weights["layer.b"])


NET = Net(
    name="cnn",
    title="Convolutional network (images)",
    summary="Two convolutions with pooling, then one hidden layer: for image data sets.",
    images_only=True,
    params=(
        Param(
            "channels",
            8,
            2,
            64,
            log=True,
            static=True,
            title="Filters",
            help="Filters in the first convolution; the second has twice as many.",
        ),
        Param(
            "hidden",
            32,
            2,
            512,
            log=True,
            static=True,
            title="Hidden units",
            help="Units in the hidden layer before the output.",
        ),
    ),
    init=init,
    features=features,
)
