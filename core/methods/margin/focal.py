r"""Focal loss: rows that are already right count less.

    l_i = -(1 - p_i)^gamma log p_i

p_i: predicted probability of the true class; gamma: `gamma` (0 is ERM). No departure; data weights multiply l_i.
Reference: Lin, Goyal, Girshick, He, Dollar, Focal loss for dense object detection, ICCV 2017.

>>> import torch
>>> round(float(focal(torch.tensor([[0.0, 0.0]]), torch.tensor([[1.0, 0.0]]), 2.0)), 4)
0.1733
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param


def focal(z: Tensor, t: Tensor, gamma: Tensor | float) -> Tensor:
    """(B, C) logits, (B, C) one-hot -> (B,). (1 - p)^gamma is taken through logarithms, finite in value and slope."""
    ce = cross_entropy(z, t)
    wrong = -torch.expm1(-ce)
    return torch.exp(gamma * torch.log(wrong.clamp(min=1e-12))) * ce


def loss(net, weights, state, batch, hp):
    """Weighted mean focal loss."""
    return weighted_mean(focal(logits(net, weights, batch.x), batch.t, hp["gamma"]), batch.w), state


METHOD = Method(
    name="focal",
    title="Focal loss",
    family="margin",
    summary="Turns attention to rows the model still gets wrong, whichever group they belong to.",
    source="Lin et al. 2017, Focal loss for dense object detection (ICCV)",
    equation="l = −(1 − p)^γ log p",
    params=(
        Param("gamma", 1.0, 0.0, 10.0, symbol="γ", title="Focus",
              help="How strongly rows that are already right are faded out. 0 is ERM; usual 0.5 to 5."),
    ),
    papers=(42,),
    limits=(({"gamma": 0.0}, "erm", {}),),
    loss=loss,
    known_failures="Rows with a wrong label are never right and get all the attention. Probabilities become too timid.",
)  # fmt: skip
