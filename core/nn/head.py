"""The last layer every architecture shares, and the loss all methods start from."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.functional import log_softmax, normalize

from core.types import Net


def draw_linear(gen: torch.Generator, n_in: int, n_out: int) -> tuple[Tensor, Tensor]:
    """(n_in, n_out) weights uniform in +-1/sqrt(n_in) and (n_out,) biases likewise, PyTorch's default for Linear."""
    bound = 1.0 / max(n_in, 1) ** 0.5
    weight = torch.empty(n_in, n_out).uniform_(-bound, bound, generator=gen)
    return weight, torch.empty(n_out).uniform_(-bound, bound, generator=gen)


def head(weights: Mapping[str, Tensor], h: Tensor) -> Tensor:
    """(B, H) features -> (B, C) logits. With "head.scale" in the weights: scale * cosine(features, class vectors)."""
    if "head.scale" in weights:
        return weights["head.scale"].detach() * (normalize(h, dim=-1) @ normalize(weights["head.w"], dim=-2))
    return h @ weights["head.w"] + weights["head.b"]


def logits(net: Net, weights: dict[str, Tensor], x: Tensor) -> Tensor:
    """(B, D) -> (B, C)."""
    return head(weights, net.features(weights, x))


def cross_entropy(z: Tensor, t: Tensor) -> Tensor:
    """(B, C) logits and (B, C) one-hot or soft targets -> (B,) losses in nats."""
    return -(log_softmax(z, dim=-1) * t).sum(-1)


def weighted_mean(values: Tensor, w: Tensor) -> Tensor:
    """(B,), (B,) -> (): sum(values * w) / B. Not divided by sum(w): weights have mean 1 over the data (trap 4)."""
    return (values * w).mean(-1)
