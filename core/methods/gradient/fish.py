r"""Fish: walk through the attribute groups one after the other and move to where the walk led, so that gradients agree.

    start at theta;  for each group a in random order:  g_a = grad L_a(theta'),  theta' = theta' - inner g_a
    step along  mean_a g_a

Up to second order in `inner` this climbs the inner products of the groups' gradients beside lowering their mean loss.
inner: `inner`, the length of the walk's steps (0 is the mean of the groups' losses: V-REx without penalty). Groups
absent from the batch are left out; data weights enter L_a.
Departures: the walk uses plain gradient steps and its mean gradient goes to the study's optimiser (the authors walk
with Adam and move by half of the walk's displacement, so their inner and outer rates are tied together). The order is
drawn anew for every batch.
Reference: Shi, Seely, Torr, Siddharth, Hannun, Usunier, Synnaeve, Gradient matching for domain generalization, ICLR
2022.

>>> METHOD.limits[0][1]
'vrex'
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.func import grad

from core.group import means, sizes
from core.methods._random import permutation
from core.nn.head import cross_entropy, logits
from core.types import Method, Param


def init(info, hp, gen):
    """State: a seed and a counter of steps, both int64."""
    seed = torch.randint(0, 2**31 - 1, (), generator=gen, dtype=torch.int64)
    return {}, {"seed": seed, "counter": torch.zeros((), dtype=torch.int64)}


def group_loss(net, weights, batch, chosen: Tensor) -> Tensor:
    """() mean loss of the rows where chosen (B, 1) is 1; 0 without a row."""
    return means(cross_entropy(logits(net, weights, batch.x), batch.t), chosen, batch.w)[0]


def step(net, loss, weights, state, batch, hp):
    """The mean of the gradients met on the walk."""
    n_groups = batch.a.shape[-1]
    order = permutation(state["seed"], state["counter"], n_groups)
    chosen = batch.a @ torch.eye(n_groups, dtype=batch.a.dtype, device=batch.a.device)[order].T
    here = (sizes(batch.a, batch.w) > 0).to(batch.w.dtype).sum().clamp(min=1.0)
    slope = grad(lambda w, rows: group_loss(net, w, batch, rows))
    total = {k: torch.zeros_like(v) for k, v in weights.items()}
    for k in range(n_groups):
        away = {name: w - hp["inner"] * total[name] for name, w in weights.items()}
        g = slope(away, chosen[:, k : k + 1])
        total = {name: total[name] + g[name] for name in weights}
    return {name: v / here for name, v in total.items()}, {**state, "counter": state["counter"] + 1}


METHOD = Method(
    name="fish",
    title="Fish (gradients that agree)",
    family="gradient",
    summary="Takes steps that help every attribute group at once rather than one at the expense of another.",
    source="Shi et al. 2022, Gradient matching for domain generalization (ICLR)",
    equation="θ′ ← θ′ − α ∇L_a(θ′) through all groups a; step along the mean of these gradients",
    params=(
        Param("inner", 0.1, 0.0, 10.0, log=True, symbol="α", title="Steps of the walk",
              help="How far the walk through the groups leads from the model. 0 only balances the groups; more asks "
                   "for gradients that agree. Usual 0.01 to 0.5."),
    ),
    needs=frozenset({"attr_train"}),
    limits=(({"inner": 0.0}, "vrex", {"lam": 0.0, "anneal": 0.0}),),
    init=init,
    step=step,
    known_failures="It costs one gradient for every group and step. A walk with long steps leaves the region where "
                   "the gradients say anything and training becomes unsteady.",
)  # fmt: skip
