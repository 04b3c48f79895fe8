r"""Maximin relative improvement: of what each attribute group could gain over a constant guess, give all a like share.

    rho_a = (R_a(f0) - R_a(f)) / (R_a(f0) - R_a(f_a)),   maximise min_a rho_a
    q_a <- q_a exp(eta (1 - rho_a)),   loss = sum_a v_a R_a(f),   v_a proportional to q_a / (R_a(f0) - R_a(f_a))

R_a: mean cross-entropy in attribute group a; f0: the best constant prediction; f_a: a model for group a alone;
eta: `eta`; `wait`: share of the iterations in which all groups have the same say. It is the Kalai-Smorodinsky
solution of the bargain: scaling the losses of one group changes nothing.
Departures: f_a is a last layer of the group's own on the shared features, cross-fitted along the way, and R_a(f_a) its
running risk on rows it does not learn from; what a group can gain counts as at least 5 % of R_a(f0); the weights v are
scaled to sum 1; of leximin only the first level, the worst share. Data weights enter all means.
Reference: Han, Banerjee, Sun, Maximin relative improvement, 2026 (arXiv 2602.04155).

>>> import torch
>>> table = Table(torch.tensor([0.25, 2.25]), torch.ones(2), torch.tensor([1.0, 9.0]), torch.zeros(2))
>>> [round(float(r), 4) for r in missed(table)]
[0.25, 0.25]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.methods._clock import waited
from core.methods._minimax import update
from core.methods.robust._bargaining import ETA, WAIT, Table, deal, init, weighed
from core.types import Method


def missed(table: Table) -> Tensor:
    """(A,) share of what each group could gain that it does not have, 1 - rho."""
    return (table.risk - table.best) / table.room


def loss(net, weights, state, batch, hp):
    """Group risks, weighed by who has the smallest share of what it could gain; plus the fit of the own layers."""
    table, extra, new = deal(net, weights, state, batch)
    ready = waited(state, hp["wait"])
    q = torch.where(ready, update(state["q"], missed(table).detach(), table.here, hp["eta"]), state["q"])
    say = torch.where(ready, q / table.room, q)
    return weighed(table, say) + extra, {**new, "q": q}


METHOD = Method(
    name="relative_improvement",
    title="Maximin relative improvement",
    family="robust",
    summary="Gives every attribute group the same share of what a model of its own could gain for it.",
    source="Han, Banerjee, Sun 2026, Maximin relative improvement (arXiv 2602.04155)",
    equation="max min_a ρ_a,  ρ_a = (R_a(f₀) − R_a(f)) / (R_a(f₀) − R_a(f_a))",
    params=(ETA, WAIT),
    papers=(49,),
    needs=frozenset({"attr_train"}),
    init=init,
    loss=loss,
    known_failures="Where a group can hardly be predicted better than by a constant, its share is a ratio of two small "
                   "numbers and can rule the training. What a group could gain is judged by a last layer on the shared "
                   "features, which may be less than a whole model of its own would gain.",
)  # fmt: skip
