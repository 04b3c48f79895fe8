r"""Elliptic bridges: the loss between two rows should not exceed what it is at the rows themselves.

    X_t = (1 - t) x_i + t x_j + s sqrt(t (1 - t)) e,   Y_t = (1 - t) y_i + t y_j,   e ~ N(0, sd of the feature)
    loss = (1 - lam) mean_i CE(f(x_i), y_i) + lam mean_{i, t} CE(f(X_t), Y_t)

X_t: a Brownian bridge from row i to a random partner j of the batch, at the middles t of `steps` equal parts of
[0, 1]; s: `sigma` (0 is mixup with every share of mixing equally often); lam: `lam` (0 is ERM). A loss that is the
expected loss at the end of such paths solves an elliptic equation between the rows, whose largest value lies at the
rows. `balance`: end points as they come, or drawn so that all groups or classes are met equally often (the paper's
change of measure, for imbalance). Data weights are mixed like the labels. Departures: the noise of different t is drawn
independently, which changes no mean over paths; standard deviations are those of the batch.
Reference: Hasan, Yang, Ng, Tarokh, Elliptic loss regularization, ICLR 2025 (arXiv 2503.02138); a reconstruction from a
description of the algorithm.

>>> import torch
>>> middles(4).tolist(), METHOD.limits[0][1]
([0.125, 0.375, 0.625, 0.875], 'erm')
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.methods._cells import balanced_draw, cells_of, data_weights
from core.methods._random import permutation, uniform
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows as they are, or drawn so that groups or classes are met equally often."""
    if hp["balance"] == "none":
        return Rows()
    prob, weight = balanced_draw(cells_of(task, hp["balance"]), data_weights(task))
    return Rows(prob=prob, weight=weight)


def init(info, hp, gen):
    """State: a seed and a counter of steps, both int64."""
    seed = torch.randint(0, 2**31 - 1, (), generator=gen, dtype=torch.int64)
    return {}, {"seed": seed, "counter": torch.zeros((), dtype=torch.int64)}


def middles(steps: int) -> Tensor:
    """(T,) middles of T equal parts of [0, 1]."""
    return (torch.arange(steps, dtype=torch.float32) + 0.5) / steps


def normal(seed: Tensor, counter: Tensor, n: int, stream: int) -> Tensor:
    """(n,) standard normal numbers of a counter."""
    return 2**0.5 * torch.erfinv(2 * uniform(seed, counter, n, stream) - 1)


def bridges(x: Tensor, partner: Tensor, t: Tensor, e: Tensor, sigma: Tensor) -> Tensor:
    """(B, D) rows, (B,) partners, (T,) times, (T, B, D) noise, () size -> (T, B, D) points on the bridges."""
    t = t[:, None, None]
    return (1 - t) * x + t * x[partner] + sigma * (t * (1 - t)).sqrt() * x.std(0, correction=0) * e


def loss(net, weights, state, batch, hp):
    """Cross-entropy at the rows and on the bridges between them; the counter moves on by one."""
    seed, counter = state["seed"], state["counter"]
    (n, d), t = batch.x.shape, middles(hp["steps"]).to(batch.x.device)
    partner = permutation(seed, counter, n, stream=1)
    e = normal(seed, counter, len(t) * n * d, stream=2).view(len(t), n, d)
    points = bridges(batch.x, partner, t, e, hp["sigma"])
    z = logits(net, weights, torch.cat([batch.x, points.reshape(-1, d)]))
    ends = weighted_mean(cross_entropy(z[:n], batch.t), batch.w)
    z = z[n:].reshape(len(t), n, -1)
    own = (1 - t)[:, None] * cross_entropy(z, batch.t) * batch.w
    other = t[:, None] * cross_entropy(z, batch.t[partner]) * batch.w[partner]
    value = (1 - hp["lam"]) * ends + hp["lam"] * (own + other).mean()
    return value, {"seed": seed, "counter": counter + 1}


METHOD = Method(
    name="elliptic",
    title="Elliptic bridges",
    family="augment",
    summary="Trains on random paths between rows, so that the loss between them stays below that at the rows.",
    source="Hasan, Yang, Ng, Tarokh 2025, Elliptic loss regularization (ICLR; arXiv 2503.02138)",
    equation="X_t = (1−t) x_i + t x_j + σ √(t(1−t)) e, labels mixed alike; loss = (1−λ) ERM + λ mean over t",
    params=(
        Param("lam", 0.5, 0.0, 1.0, symbol="λ", title="Share of the bridges",
              help="0 is ERM, 1 learns from the points between rows alone, 0.5 gives both the same weight."),
        Param("sigma", 0.3, 0.0, 2.0, symbol="σ", title="Width of the bridges",
              help="Noise halfway between two rows is half of this times the spread of each feature. 0 is mixup; "
                   "usual 0.1 to 0.5."),
        Param("steps", 10, 1, 30, static=True, title="Points on a bridge",
              help="More points approximate the path better; time grows in proportion."),
        Param("balance", "none", choices=("none", "group", "class"), static=True, stage="prepare",
              title="Draw the end points",
              help="none: rows as they come; group, class: every group or class is an end point equally often."),
    ),
    papers=(2,),
    needs=frozenset({"attr_train"}),
    limits=(({"lam": 0.0}, "erm", {}), ({"lam": 0.0, "balance": "group"}, "resample", {"by": "group"})),
    prepare=prepare,
    init=init,
    loss=loss,
    reconstruction="The algorithm is rebuilt from a description: the times on a path and the weight of the end points "
                   "are ours.",
    known_failures="Points between one-hot columns are no possible persons. A step costs as many passes as there are "
                   "points on a bridge.",
)  # fmt: skip
