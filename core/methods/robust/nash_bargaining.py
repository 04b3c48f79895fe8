r"""Nash bargaining between attribute groups: the product of their gains over a constant guess is made large.

    maximise sum_a log u_a,   u_a = R_a(f0) - R_a(f);   loss = sum_a v_a R_a(f),   v_a proportional to 1 / u_a

R_a: mean cross-entropy in attribute group a; f0: the best constant prediction; u_a in the weights is a running mean
over batches, kept above 5 % of R_a(f0); `wait`: share of the iterations in which all groups have the same say. The
weights are the gradient of the sum of logarithms, scaled to sum 1. A group that has gained little weighs most, and
scaling the losses of one group changes nothing. Data weights enter all means.
Reference: Nash, The bargaining problem, Econometrica 1950; between groups of one predictor in Han, Banerjee, Sun,
Maximin relative improvement, 2026 (arXiv 2602.04155).

>>> import torch
>>> [round(float(v), 2) for v in say(torch.tensor([0.5, 0.5]), torch.tensor([0.4, 0.2]), torch.tensor([1.0, 1.0]))]
[10.0, 3.33]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.methods._clock import waited
from core.methods.robust._bargaining import LEAST, WAIT, open_state, opening, weighed
from core.types import Method


def say(start: Tensor, risk: Tensor, seen: Tensor) -> Tensor:
    """(A,) risks at the start and now, presence in training -> (A,) 1 / gain."""
    gain = torch.maximum(start - risk, LEAST * start.clamp(min=1e-6))
    return seen / gain


def loss(net, weights, state, batch, hp):
    """Group risks, each weighed by the inverse of what the group has gained."""
    table, new = opening(weights, net.features(weights, batch.x), state, batch)
    seen = (state["q"] > 0).to(table.risk.dtype)
    risk = new["risk"] / new["risk_filled"].clamp(min=1e-12)
    fair = torch.where(waited(state, hp["wait"]), say(table.start, risk, seen), seen)
    return weighed(table, fair), new


METHOD = Method(
    name="nash_bargaining",
    title="Nash bargaining",
    family="robust",
    summary="Weighs each attribute group by the inverse of what it has gained so far over a constant guess.",
    source="Nash 1950, The bargaining problem; Han, Banerjee, Sun 2026 (arXiv 2602.04155)",
    equation="max Σ_a log (R_a(f₀) − R_a(f))",
    params=(WAIT,),
    papers=(49,),
    needs=frozenset({"attr_train"}),
    init=open_state,
    loss=loss,
    known_failures="A group that the model serves worse than a constant guess has no logarithm: its gain is then taken "
                   "as 5 % of where it starts. It asks for no equality: who gains easily may end far ahead.",
)  # fmt: skip
