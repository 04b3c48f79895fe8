r"""LDAM: rarer classes must be recognised with a larger margin.

    l = CE(s (cos_c - Delta_c [c = y]), y),   Delta_c = m (n_min / n_c)^(1/4)

cos_c: cosine of the features and class vector c; m: `max_margin`, the margin of the rarest class; s: `scale`;
n_c: training rows of class c. Needs unit-norm features and class vectors, hence the cosine head (predictions use
s cos_c). At m = 0 it is ERM with a cosine head, not plain ERM.
Reference: Cao, Wei, Gaidon, Arechiga, Ma, Learning imbalanced datasets with label-distribution-aware margin loss,
NeurIPS 2019.

>>> import torch
>>> [round(float(d), 4) for d in margins(torch.tensor([900.0, 100.0]), 0.5)]
[0.2887, 0.5]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param


def margins(class_counts: Tensor, max_margin: float) -> Tensor:
    """(C,) counts -> (C,) margins; classes without a row get the largest."""
    n = torch.where(class_counts > 0, class_counts, float("inf"))
    ratio = torch.where(class_counts > 0, n.amin() / n, 1.0)
    return max_margin * ratio.pow(0.25)


def init(info, hp, gen):
    """The head's scale, and state: margins (C,)."""
    return {"head.scale": torch.tensor(float(hp["scale"]))}, {"margin": margins(info.class_counts, hp["max_margin"])}


def loss(net, weights, state, batch, hp):
    """Weighted mean cross-entropy with the true class held back by its margin."""
    z = logits(net, weights, batch.x) - weights["head.scale"].detach() * state["margin"] * batch.t
    return weighted_mean(cross_entropy(z, batch.t), batch.w), state


METHOD = Method(
    name="ldam",
    title="LDAM",
    family="margin",
    summary="Asks for a wider safety margin on rare classes than on common ones.",
    source="Cao et al. 2019, Learning imbalanced datasets with label-distribution-aware margin loss (NeurIPS)",
    equation="Δ_c = m (n_min / n_c)^¼; l = CE(s (cos − Δ_y), y)",
    params=(
        Param("max_margin", 0.5, 0.0, 1.0, symbol="m", title="Largest margin",
              help="Margin of the rarest class, as a cosine. Usual 0.1 to 0.8."),
        Param("scale", 30.0, 1.0, 100.0, symbol="s", title="Scale of the cosine",
              help="How sharply the cosine becomes a probability. Usual 10 to 30."),
    ),
    papers=(42,),
    head="cosine",
    init=init,
    loss=loss,
    known_failures="Without unit-norm features the scale of 30 makes training unstable; linear models have few "
                   "directions to use, so the cosine head can cost accuracy.",
)  # fmt: skip
