"""Class weights that wait: shared by the methods that train plainly first and weigh rare classes up for the rest."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.methods._clock import waited
from core.types import Param

START = Param(
    "start", 0.8, 0.0, 1.0, title="Start of the weights",
    help="Share of the iterations without weights. 0 weighs from the start, 1 never. The authors use 0.8.",
)  # fmt: skip
BETA = Param(
    "beta", 0.9999, 0.0, 1.0, symbol="β", title="Overlap of rows",
    help="0 weighs every row alike; near 1 every class counts the same. Usual: 0.99 to 0.99999.",
)  # fmt: skip


def class_weights(counts: Tensor, beta: float) -> Tensor:
    """(C,) class counts -> (C,) inverse effective numbers; a class without a row counts one."""
    n = counts.double().clamp(min=1)
    if beta == 0.0:
        return torch.ones_like(n).float()
    if beta == 1.0:
        return (1 / n).float()
    return ((1 - beta) / -torch.expm1(n * math.log(beta))).float()


def weighted(w: Tensor, v: Tensor) -> Tensor:
    """(B,) data weights, (B,) class weights -> (B,) their product, scaled so that the batch keeps its total weight."""
    return w * v * (w.sum() / (w * v).sum())


def deferred(state: dict[str, Tensor], batch, hp) -> Tensor:
    """(B,) the data's weights during the wait, afterwards with the class weights state["v"] (C,)."""
    return torch.where(waited(state, hp["start"]), weighted(batch.w, batch.t @ state["v"]), batch.w)
