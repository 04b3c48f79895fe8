r"""Generalised cross-entropy: between cross-entropy and the plain error, so that wrongly labelled rows pull less.

    l_i = (1 - p_i^q) / q

p_i: predicted probability of the true class; q: `q` (0 is the limit -log p, which is ERM; 1 is 1 - p, half the absolute
error). The slope is p_i^q times that of cross-entropy: rows that the model is sure are something else fade out. Data
weights multiply l_i. Departure: without the paper's truncated form, which drops rows of small p altogether.
Reference: Zhang, Sabuncu, Generalized cross entropy loss for training deep neural networks with noisy labels, NeurIPS
2018.

>>> import torch
>>> z, t = torch.zeros(1, 2), torch.tensor([[1.0, 0.0]])
>>> [round(float(generalised(z, t, torch.tensor(q))), 4) for q in (0.0, 0.5, 1.0)]
[0.6931, 0.5858, 0.5]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param


def generalised(z: Tensor, t: Tensor, q: Tensor) -> Tensor:
    """(B, C) logits, (B, C) one-hot, q in [0, 1] -> (B,). 1 - p^q by expm1, exact for tiny q as well."""
    ce = cross_entropy(z, t)
    safe = torch.where(q > 0, q, torch.ones_like(q))
    return torch.where(q > 0, -torch.expm1(-safe * ce) / safe, ce)


def loss(net, weights, state, batch, hp):
    """Weighted mean generalised cross-entropy."""
    return weighted_mean(generalised(logits(net, weights, batch.x), batch.t, hp["q"]), batch.w), state


METHOD = Method(
    name="gce",
    title="Generalised cross-entropy",
    family="margin",
    summary="Pays less attention to rows that contradict everything else, which protects against wrong labels.",
    source="Zhang, Sabuncu 2018, Generalized cross entropy loss (NeurIPS)",
    equation="l = (1 − p^q) / q",
    params=(
        Param("q", 0.7, 0.0, 1.0, symbol="q", title="Tolerance of contradictions",
              help="0 is ERM; towards 1 rows that look mislabelled count less and less. The authors use 0.7; search "
                   "0.05 to 0.95."),
    ),
    limits=(({"q": 0.0}, "erm", {}),),
    loss=loss,
    known_failures="Rows of small groups contradict the majority too and fade out with the noise: look at the worst "
                   "group. Near q = 1 it learns slowly and can ignore a rare class altogether.",
)  # fmt: skip
