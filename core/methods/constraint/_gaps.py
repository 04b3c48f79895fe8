"""Gaps between groups in mean probabilities, and the weight of their penalty: shared by the fairness penalties."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.func import vmap
from torch.nn.functional import softmax

from core.group import means, sizes
from core.types import Param

LAM = Param(
    "lam", 1.0, 0.0, 1000.0, log=True, symbol="λ", title="Weight of the penalty",
    help="0 is ERM; larger brings the groups together at the price of accuracy. Usual 0.1 to 100.",
)  # fmt: skip

SHAPE = Param(
    "shape", "squared", choices=("squared", "absolute"), static=True, title="Shape of the penalty",
    help="squared: large gaps are punished most and small ones left; absolute: pushes all the way to no gap.",
)  # fmt: skip


def punish(gap: Tensor, shape: str) -> Tensor:
    """The gap itself or its square."""
    return gap**2 if shape == "squared" else gap


def spreads(p: Tensor, onehot: Tensor, w: Tensor) -> Tensor:
    """(B, K) values, (B, A) groups, (B,) weights -> (K,) largest minus smallest group mean; 0 with one group."""
    averages = vmap(means, in_dims=(1, None, None))(p, onehot, w)
    here = sizes(onehot) > 0
    top = torch.where(here, averages, float("-inf")).amax(-1)
    low = torch.where(here, averages, float("inf")).amin(-1)
    return torch.where(here.sum() > 1, top - low, 0.0)


def positives(z: Tensor) -> Tensor:
    """(B, C) logits -> (B, K) probabilities compared: of the positive class alone for two classes, else of all."""
    p = softmax(z, dim=-1)
    return p[:, 1:] if p.shape[-1] == 2 else p
