"""Distances between the attribute groups of a batch, pair by pair: shared by the methods that align features."""

from __future__ import annotations

from contextlib import AbstractContextManager

import torch
from torch import Tensor

from core.group import sizes
from core.types import Param

GAMMA = Param(
    "gamma", 1.0, 0.0, 1000.0, log=True, symbol="γ", title="Weight of the alignment",
    help="0 is ERM; larger makes the features of all groups more alike. Published search 0.1 to 10.",
)  # fmt: skip


def shares(onehot: Tensor, w: Tensor) -> Tensor:
    """(B, A) groups, (B,) weights -> (B, A): each row's part of its group's weight; columns sum to 1, absent ones 0."""
    total = sizes(onehot, w)
    return onehot * w[:, None] / torch.where(total > 0, total, 1.0)


def apart(gram: Tensor) -> Tensor:
    """(A, A) inner products -> (A, A) squared distances."""
    own = gram.diagonal(dim1=-2, dim2=-1)
    return own[:, None] + own[None, :] - 2 * gram


def mean_over_pairs(distances: Tensor, here: Tensor) -> Tensor:
    """(A, A) symmetric, (A,) 1 for groups that take part, else 0 -> (): mean over their pairs; 0 without a pair."""
    pairs = (here[:, None] * here[None, :]).triu(1)
    return (distances * pairs).sum() / pairs.sum().clamp(min=1.0)


def centred(h: Tensor) -> Tensor:
    """(B, H) features without their common mean: every distance stays, rounding errors of inner products shrink."""
    return h - h.mean(0, keepdim=True)


def full_precision(h: Tensor) -> AbstractContextManager:
    """Turns automatic half precision off on the device of h: differences of inner products do not survive rounding."""
    return torch.autocast(device_type=h.device.type, enabled=False)
