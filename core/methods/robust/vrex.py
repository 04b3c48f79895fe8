r"""V-REx, risk extrapolation: keep the losses of the attribute groups equal, so that shifts between them matter little.

    loss = mean_a L_a + lam Var_a(L_a)

L_a: mean loss of the rows of attribute group a in the batch, groups absent from it left out; Var divides by their
number. lam: `lam`; `anneal`: share of the iterations in which the weight is 1 instead (DomainBed: 500 of 5000).
lam = 0 without waiting is the mean of the groups' losses, not ERM; with one group only ERM is left. Data weights enter
the means. Departures: the share instead of a number of iterations; the optimiser is not restarted after the wait.
Reference: Krueger et al., Out-of-distribution generalization via risk extrapolation, ICML 2021; defaults of DomainBed
(Gulrajani, Lopez-Paz, In search of lost domain generalization, ICLR 2021).

>>> import torch
>>> round(float(variance(torch.tensor([0.2, 0.6, 9.0]), torch.tensor([1.0, 1.0, 0.0]))), 4)
0.04
"""

from __future__ import annotations

from torch import Tensor

from core.methods._clock import clock, tick
from core.methods._environments import ANNEAL, average, penalty_weight, risks
from core.nn.head import cross_entropy, logits
from core.types import Method, Param


def variance(values: Tensor, here: Tensor) -> Tensor:
    """(A,) values, (A,) presence -> (): variance among those present, 0 with one."""
    return average((values - average(values, here)) ** 2, here)


def loss(net, weights, state, batch, hp):
    """Mean of the environments' risks plus their weighted variance."""
    each = cross_entropy(logits(net, weights, batch.x), batch.t)
    values, here = risks(each, batch.a, batch.w)
    return average(values, here) + penalty_weight(state, hp) * variance(values, here), tick(state)


METHOD = Method(
    name="vrex",
    title="V-REx (equal risks)",
    family="robust",
    summary="Punishes the model while attribute groups have different average losses.",
    source="Krueger et al. 2021, Out-of-distribution generalization via risk extrapolation (ICML)",
    equation="loss = mean_a L_a + λ Var_a(L_a)",
    params=(
        Param("lam", 10.0, 0.0, 100_000.0, log=True, symbol="λ", title="Weight of the variance",
              help="0 gives every group the same say, more makes their losses equal. Published search 0.1 to 100,000."),
        ANNEAL,
    ),
    needs=frozenset({"attr_train"}),
    limits=(({"lam": 0.0, "anneal": 0.0}, "irm", {"lam": 0.0, "anneal": 0.0}),),
    init=clock,
    loss=loss,
    known_failures="Losses can be made equal by doing worse for the groups that do well. A group whose labels are "
                   "harder to predict can never reach the others.",
)  # fmt: skip
