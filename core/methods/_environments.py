"""Attribute groups as environments: their risks in a batch and a penalty that waits before it counts.

Shared by the methods that want one model to hold in every environment (IRM, V-REx, EQRM). An environment
without a row in the batch is left out of it.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.group import means, sizes
from core.methods._clock import waited
from core.types import Param

ANNEAL = Param(
    "anneal", 0.1, 0.0, 1.0, title="Wait before the penalty",
    help="Share of the iterations during which the penalty has weight 1, so that something is learned first. "
         "0: full weight from the start; usual 0.1.",
)  # fmt: skip


def penalty_weight(state: dict[str, Tensor], hp) -> Tensor:
    """(): 1 while waiting, `lam` afterwards."""
    return torch.where(waited(state, hp["anneal"]), hp["lam"], torch.ones_like(hp["lam"]))


def risks(each: Tensor, onehot: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    """(B,) losses, (B, A) groups, (B,) weights -> (A,) mean loss of each (0 if absent), (A,) presence 1 or 0."""
    return means(each, onehot, w), (sizes(onehot, w) > 0).to(each.dtype)


def average(values: Tensor, here: Tensor) -> Tensor:
    """(A,) values, (A,) presence -> (): mean over those present; 0 with none."""
    return (values * here).sum(-1) / here.sum(-1).clamp(min=1.0)
