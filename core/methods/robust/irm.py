r"""IRM (IRMv1): one last layer should be the best one for every attribute group at once.

    loss = mean_a [L_a + lam g_a g'_a],   g_a = d/ds CE(s z, y) at s = 1

z: logits; g_a, g'_a: the slope in a common scale s of the logits, over every other row of group a in the batch and
over the rest (their product estimates the squared slope without bias and can be negative). lam: `lam`; `anneal`: share
of the iterations in which the weight is 1 instead (SubpopBench: 500 of 5000). Written out, the slope of one row is
sum_c (p_c - y_c) z_c. Groups absent from the batch are left out of the mean, a group with one row of the penalty.
lam = 0 without waiting is the mean of the groups' losses, not ERM. Data weights enter all means.
Departures: the share instead of a number of iterations; the optimiser is not restarted after the wait.
Reference: Arjovsky, Bottou, Gulrajani, Lopez-Paz, Invariant risk minimization, 2019 (arXiv 1907.02893); as IRM in Yang
et al., Change is hard, ICML 2023.

>>> import torch
>>> z, t = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 0.0]])
>>> round(float(slopes(z, t)), 4)
-0.2689
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import softmax

from core.methods._clock import clock, tick
from core.methods._environments import ANNEAL, average, penalty_weight, risks
from core.nn.head import cross_entropy, logits
from core.types import Method, Param


def slopes(z: Tensor, t: Tensor) -> Tensor:
    """(B, C) logits, (B, C) one-hot -> (B,) derivative of each row's loss in a scale of the logits, at scale 1."""
    return ((softmax(z, dim=-1) - t) * z).sum(-1)


def penalty(each: Tensor, onehot: Tensor, w: Tensor) -> Tensor:
    """(B,) slopes, (B, A) groups, (B,) weights -> (): mean over groups of the product of their two halves' slopes."""
    place = (onehot * (onehot.cumsum(0) - 1)).sum(-1)
    odd = (torch.remainder(place, 2.0) > 0.5).to(each.dtype)[:, None]
    (first, one), (second, two) = (risks(each, onehot * half, w) for half in (1 - odd, odd))
    return average(first * second, one * two)


def loss(net, weights, state, batch, hp):
    """Mean of the environments' risks plus the weighted penalty."""
    z = logits(net, weights, batch.x)
    values, here = risks(cross_entropy(z, batch.t), batch.a, batch.w)
    extra = penalty(slopes(z, batch.t), batch.a, batch.w)
    return average(values, here) + penalty_weight(state, hp) * extra, tick(state)


METHOD = Method(
    name="irm",
    title="IRM (invariant risk)",
    family="robust",
    summary="Looks for features on which the same last layer is the best one in every attribute group.",
    source="Arjovsky, Bottou, Gulrajani, Lopez-Paz 2019, Invariant risk minimization (arXiv 1907.02893)",
    equation="loss = mean_a [L_a + λ g_a g′_a], g = ∂CE(s z, y)/∂s at s = 1",
    params=(
        Param("lam", 100.0, 0.0, 100_000.0, log=True, symbol="λ", title="Weight of the penalty",
              help="0 gives every group the same say, more insists on one last layer for all. Published search 0.1 to "
                   "100,000."),
        ANNEAL,
    ),
    papers=(42,),
    needs=frozenset({"attr_train"}),
    init=clock,
    loss=loss,
    known_failures="With two or three groups many wrong models pass its test, and once every training row is fitted "
                   "the penalty is near zero for all of them. The estimate is noisy in small batches.",
)  # fmt: skip
