r"""EQRM: make a chosen quantile of the attribute groups' losses small: a loss that most groups will stay below.

    loss = Q,   mean_a Phi((Q - L_a) / h) = alpha,   h = 1.06 s n^(-1/5)

L_a: mean loss of the rows of group a in the batch; Phi: the normal distribution function, so that Q is the quantile of
a kernel estimate over the n groups present; s: their standard deviation (divided by n - 1). alpha: `alpha` (near 1 the
worst group and beyond, 0.5 the typical one); `burnin`: share of the iterations at first that train the mean of L_a
(DomainBed: 2500 of 5000). With one group it is ERM. Data weights enter L_a. With two groups and alpha = 1/2, Q is the
mean of both losses.
The slope of Q is exact: one Newton step from the root found by bisection carries it, that of h included. h is at least
1e-4. Departures: the share instead of a number of iterations; no new optimiser and learning rate after the burn-in.
Reference: Eastwood et al., Probable domain generalization via quantile risk minimization, NeurIPS 2022.

>>> import torch
>>> here = torch.ones(2)
>>> [round(float(quantile(torch.tensor([0.2, 0.8]), here, torch.tensor(a))), 3) for a in (0.1, 0.5, 0.9)]
[-0.141, 0.5, 1.141]
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.special import ndtr

from core.methods._clock import clock, tick, waited
from core.methods._environments import average, risks
from core.nn.head import cross_entropy, logits
from core.types import Method, Param

LEAST, HALVINGS = 1e-4, 24


def bandwidth(values: Tensor, here: Tensor) -> Tensor:
    """(A,) values, (A,) presence -> (): width of the kernels, with a defined slope where all values agree."""
    n = here.sum(-1)
    square = ((values - average(values, here)) ** 2 * here).sum(-1) / (n - 1).clamp(min=1.0)
    s = torch.where(square > 0, torch.where(square > 0, square, 1.0).sqrt(), 0.0)
    return (1.06 * s * n.clamp(min=1.0) ** -0.2).clamp(min=LEAST)


def quantile(values: Tensor, here: Tensor, alpha: Tensor) -> Tensor:
    """(A,) values, (A,) presence, level in (0, 1) -> (): quantile of the kernel estimate, differentiable in values."""
    h = bandwidth(values, here)
    fixed, width = values.detach(), h.detach()
    low = torch.where(here > 0, fixed, float("inf")).amin(-1) - 6 * width
    high = torch.where(here > 0, fixed, float("-inf")).amax(-1) + 6 * width
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = average(ndtr((middle - fixed) / width), here) < alpha
        low, high = torch.where(below, middle, low), torch.where(below, high, middle)
    q = (low + high) / 2
    density = average(torch.exp(-(((q - fixed) / width) ** 2) / 2), here) / (2 * torch.pi) ** 0.5 / width
    return q - (average(ndtr((q - values) / h), here) - alpha) / density.clamp(min=1e-6)


def loss(net, weights, state, batch, hp):
    """The mean of the groups' losses during the burn-in, their quantile afterwards."""
    each = cross_entropy(logits(net, weights, batch.x), batch.t)
    values, here = risks(each, batch.a, batch.w)
    value = torch.where(waited(state, hp["burnin"]), quantile(values, here, hp["alpha"]), average(values, here))
    return value, tick(state)


METHOD = Method(
    name="eqrm",
    title="EQRM (quantile of group losses)",
    family="robust",
    summary="Minimises a loss that a chosen share of the groups stays below: a dial between average and worst group.",
    source="Eastwood et al. 2022, Probable domain generalization via quantile risk minimization (NeurIPS)",
    equation="loss = α-quantile of a kernel estimate over the L_a",
    params=(
        Param("alpha", 0.75, 0.01, 0.999, symbol="α", title="Quantile",
              help="Share of the groups that should stay below the loss. 0.5 is the typical group, near 1 the worst. "
                   "Published search 0.5 to 0.99."),
        Param("burnin", 0.5, 0.0, 1.0, title="Burn-in",
              help="Share of the iterations that first train the average of the groups' losses. Usual 0.1 to 0.6."),
    ),
    needs=frozenset({"attr_train"}),
    init=clock,
    loss=loss,
    known_failures="A quantile of a handful of groups is a guess: with two or three it is the mean plus a multiple of "
                   "their spread. Meant for ten groups and more.",
)  # fmt: skip
