"""Logistic regression: no hidden layer."""

from __future__ import annotations

from core.nn.head import draw_linear
from core.types import Net


def init(gen, n_features, n_classes, hp, image_shape):
    """Weights "head.w" (D, C), "head.b" (C,)."""
    w, b = draw_linear(gen, n_features, n_classes)
    return {"head.w": w, "head.b": b}


def features(weights, x):
    """The inputs themselves."""
    return x


NET = Net(
    name="linear",
    title="Linear (logistic regression)",
    summary="One weight per feature. Fast, easy to explain, cannot learn interactions.",
    params=(),
    init=init,
    features=features,
)
