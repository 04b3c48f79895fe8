r"""Mixup: train on mixtures of pairs of rows and of their labels.

    x = m x_i + (1 - m) x_j,   loss = m CE(f(x), y_i) + (1 - m) CE(f(x), y_j),   m ~ Beta(alpha, alpha)

alpha: `alpha` (0 is ERM: m is 1). One m a batch, j a random partner in the batch, as in the authors' code; of m and
1 - m the larger is the row's own share, which renames the two rows of a pair and changes nothing else. Data weights
are mixed like the labels.
Reference: Zhang, Cisse, Dauphin, Lopez-Paz, mixup: beyond empirical risk minimization, ICLR 2018.

>>> METHOD.limits[0][1]
'erm'
"""

from __future__ import annotations

import torch

from core.methods._random import permutation, symmetric_beta, uniform
from core.nn.head import cross_entropy, logits
from core.types import Method, Param


def init(info, hp, gen):
    """State: a seed and a counter of steps, both int64."""
    seed = torch.randint(0, 2**31 - 1, (), generator=gen, dtype=torch.int64)
    return {}, {"seed": seed, "counter": torch.zeros((), dtype=torch.int64)}


def loss(net, weights, state, batch, hp):
    """Mixed weighted cross-entropy; the counter moves on by one."""
    seed, counter = state["seed"], state["counter"]
    drawn = symmetric_beta(uniform(seed, counter, 1), hp["alpha"])[0]
    m = torch.where(torch.as_tensor(hp["alpha"]) > 0, torch.maximum(drawn, 1.0 - drawn), torch.ones_like(drawn))
    partner = permutation(seed, counter, batch.x.shape[0], stream=1)
    z = logits(net, weights, m * batch.x + (1.0 - m) * batch.x[partner])
    own = cross_entropy(z, batch.t) * batch.w
    other = cross_entropy(z, batch.t[partner]) * batch.w[partner]
    return (m * own + (1.0 - m) * other).mean(-1), {"seed": seed, "counter": counter + 1}


METHOD = Method(
    name="mixup",
    title="Mixup",
    family="augment",
    summary="Trains on blends of two rows, which keeps the model from being too sure between them.",
    source="Zhang, Cisse, Dauphin, Lopez-Paz 2018, mixup (ICLR)",
    equation="x = m x_i + (1−m) x_j, m ~ Beta(α, α)",
    params=(
        Param("alpha", 0.2, 0.0, 10.0, symbol="α", title="Strength of mixing",
              help="0 is ERM; small values mix rarely, 1 mixes evenly. Usual 0.1 to 2."),
    ),
    papers=(42,),
    limits=(({"alpha": 0.0}, "erm", {}),),
    init=init,
    loss=loss,
    known_failures="Blends of one-hot columns are no possible persons. It does nothing for groups as such.",
)  # fmt: skip
