"""Training as a bargain between attribute groups: where each starts, the best it could have, what a batch gives it.

    R_a(f0): risk of the best constant prediction;  R_a(f_a): risk of a model for group a alone;  u_a = R_a(f0) - R_a(f)

Everything is estimated along the way. R_a(f0) comes from running totals of classes within groups. The model for a
group alone is a last layer of its own on the shared features; two are kept, each learns from every other row of the
group and is measured on the rows between, so that R_a(f_a) is cross-fitted. They do not move the shared features.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from core.methods._clock import clock, tick
from core.methods._minimax import evenly
from core.nn.head import cross_entropy, head
from core.types import Param

RATE = 0.05  # share of a new batch in running risks
LEAST = 0.05  # what a group can gain is taken as at least this share of where it starts
WAIT = Param(
    "wait", 0.2, 0.0, 1.0, title="Wait before bargaining",
    help="Share of the iterations in which all groups have the same say, so that the best each could have is known "
         "before it counts. Usual 0.1 to 0.3.",
)  # fmt: skip
ETA = Param(
    "eta", 0.05, 0.0, 10.0, log=True, symbol="η", title="Step of the group weights",
    help="How fast the weight of the worst-off group grows. 0 gives every group the same say; usual 0.01 to 0.5.",
)  # fmt: skip


class Table(NamedTuple):
    """What lies on the table, each (A,): risk of the batch (differentiable), presence, start R(f0), best R(f_a)."""

    risk: Tensor
    here: Tensor
    start: Tensor
    best: Tensor

    @property
    def room(self) -> Tensor:
        """What each group could gain, kept above a small share of where it starts."""
        return torch.maximum(self.start - self.best, LEAST * self.start.clamp(min=1e-6))


def open_state(info, hp=None, gen=None):
    """State: the clock, equal weights q (A,), class totals (A, C), the model's running risk and how far it is
    filled (A,)."""
    none = torch.zeros(info.n_attrs)
    state = {"q": evenly(info.attr_counts), "totals": torch.zeros(info.n_attrs, info.n_classes), "risk": none,
             "risk_filled": none.clone()}  # fmt: skip
    return {}, clock(info)[1] | state


def init(info, hp, gen):
    """Own last layers "own.slope" (2, A, H, C) and "own.level" (2, A, C) at zero; `open_state` with their running risk
    and how far it is filled (A,)."""
    shape = (2, info.n_attrs, info.n_hidden, info.n_classes)
    none = torch.zeros(info.n_attrs)
    own = {"own.slope": torch.zeros(shape), "own.level": torch.zeros(2, info.n_attrs, info.n_classes)}
    return own, open_state(info)[1] | {"best": none, "best_filled": none.clone()}


def start_risk(totals: Tensor) -> Tensor:
    """(A, C) summed weights -> (A,) cross-entropy in each group of predicting everyone's class shares; 0 if empty."""
    shares = totals.sum(0) / totals.sum().clamp(min=1e-12)
    each = -torch.log(shares.clamp(min=1e-12))
    return (totals @ each) / totals.sum(1).clamp(min=1e-12)


def running(old: Tensor, filled: Tensor, new: Tensor, here: Tensor) -> tuple[Tensor, Tensor]:
    """(A,) running sums, their filling, new values, presence -> both moved by RATE where present."""
    rate = RATE * here
    return (1 - rate) * old + rate * new, (1 - rate) * filled + rate


def own_risks(weights, h: Tensor, batch) -> tuple[Tensor, Tensor, Tensor]:
    """(): training loss of the own layers; (A,) their mean loss on rows they do not learn from; (A,) presence."""
    z = torch.einsum("bh,kahc->kabc", h.detach(), weights["own.slope"]) + weights["own.level"][:, :, None]
    each = -(log_softmax(z, dim=-1) * batch.t).sum(-1)
    odd = torch.remainder(batch.i, 2).to(each.dtype)
    mass = torch.stack([1 - odd, odd])[:, None] * batch.a.mT * batch.w  # (2, A, B): rows layer k of group a learns from
    fitted = (each * mass).sum(-1) / mass.sum(-1).clamp(min=1e-12)
    held = mass.flip(0)
    total = held.sum((0, -1))
    return fitted.sum(), (each.detach() * held).sum((0, -1)) / total.clamp(min=1e-12), (total > 0).to(each.dtype)


def opening(weights, h: Tensor, state, batch) -> tuple[Table, dict[str, Tensor]]:
    """The table of this batch, with nothing known of what each group could have (best 0), and the state one iteration
    later."""
    each = cross_entropy(head(weights, h), batch.t)
    mass = batch.w @ batch.a
    here = (mass > 0).to(each.dtype)
    risk = ((each * batch.w) @ batch.a) / mass.clamp(min=1e-12)
    totals = state["totals"] + batch.a.mT @ (batch.t * batch.w[:, None])
    known, filled = running(state["risk"], state["risk_filled"], risk.detach(), here)
    start = start_risk(totals)
    return Table(risk, here, start, torch.zeros_like(start)), {
        **tick(state), "totals": totals, "risk": known, "risk_filled": filled,
    }  # fmt: skip


def deal(net, weights, state, batch) -> tuple[Table, Tensor, dict[str, Tensor]]:
    """The table of this batch, the loss of the own layers (to be added), and the state one iteration later."""
    h = net.features(weights, batch.x)
    table, new = opening(weights, h, state, batch)
    extra, held, here = own_risks(weights, h, batch)
    best, filled = running(state["best"], state["best_filled"], held, here)
    known = best / filled.clamp(min=1e-12)
    return table._replace(best=known), extra, {**new, "best": best, "best_filled": filled}


def weighed(table: Table, say: Tensor) -> Tensor:
    """(): sum of the risks of the groups present, with weights (A,) scaled to sum 1 over all groups."""
    share = (say / say.sum().clamp(min=1e-12)).detach()
    return (share * table.risk * table.here).sum()
