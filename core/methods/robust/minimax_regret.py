r"""Minimax regret: the attribute group that loses most against a model of its own decides what is trained.

    minimise max_a (R_a(f) - R_a(f_a)),   q_a <- q_a exp(eta (R_a(f) - R_a(f_a))),   loss = sum_a q_a R_a(f)

R_a: mean cross-entropy in attribute group a; f_a: a model for group a alone; eta: `eta`; `wait`: share of the
iterations in which all groups have the same say. Unlike Group DRO a group whose labels are noisy is not favoured for
what no model could mend; unlike relative improvement the regret is counted in absolute terms.
Departures: f_a is a last layer of the group's own on the shared features, cross-fitted along the way; groups are
attribute groups, not classes within them. Data weights enter all means.
Reference: Agarwal, Zhang, Minimax regret optimization for robust machine learning under distribution shift, COLT 2022;
as a bargaining solution in Han, Banerjee, Sun, Maximin relative improvement, 2026 (arXiv 2602.04155).

>>> import torch
>>> table = Table(torch.tensor([5.0, 1.0]), torch.ones(2), torch.tensor([5.0, 9.0]), torch.tensor([4.0, 0.0]))
>>> regrets(table).tolist()
[1.0, 1.0]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.methods._clock import waited
from core.methods._minimax import update
from core.methods.robust._bargaining import ETA, WAIT, Table, deal, init, weighed
from core.types import Method


def regrets(table: Table) -> Tensor:
    """(A,) risk beyond that of the group's own model."""
    return table.risk - table.best


def loss(net, weights, state, batch, hp):
    """Group risks, weighed by regret; plus the fit of the own layers."""
    table, extra, new = deal(net, weights, state, batch)
    grown = update(state["q"], regrets(table).detach(), table.here, hp["eta"])
    q = torch.where(waited(state, hp["wait"]), grown, state["q"])
    return weighed(table, q) + extra, {**new, "q": q}


METHOD = Method(
    name="minimax_regret",
    title="Minimax regret",
    family="robust",
    summary="Trains for the attribute group that loses most by sharing one model with the others.",
    source="Agarwal, Zhang 2022, Minimax regret optimization (COLT); Han, Banerjee, Sun 2026 (arXiv 2602.04155)",
    equation="min max_a (R_a(f) − R_a(f_a))",
    params=(ETA, WAIT),
    papers=(49,),
    needs=frozenset({"attr_train"}),
    init=init,
    loss=loss,
    known_failures="Groups with larger losses tend to have larger regrets, so it depends on the scale of each group's "
                   "loss. A small group's own model is a poor one, and its regret then looks small.",
)  # fmt: skip
