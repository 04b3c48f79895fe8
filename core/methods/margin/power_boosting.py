r"""Power boosting, TBL-style: a loss whose use of the data does not shrink as positives become rare.

    l = [a exp(-(1 - a) z) if y = 1, else (1 - a) exp(a z)] / (2 a (1 - a)),   z = log odds of the positive class

a: `a` (0.5 is the boosting loss exp(-z/2) or exp(z/2)); z is held within +-20. The best z for a chance e of a positive
is its log odds, and the loss left is e^a (1 - e)^(1 - a). The share of it that features x remove is therefore
1 - sum_x p(x | 1)^a p(x | 0)^(1 - a), however rare positives are; for cross-entropy that share goes to zero with them.
The divisor gives every row the slope of cross-entropy at z = 0, so that its learning rate suits. share: `share` of
this loss, the rest is cross-entropy (0 is ERM). Data weights multiply l. Departure: the paper's Tunable Boosting Loss
was described to us, its formula not seen; this is a reconstruction with the property the paper proves, `share` is ours.
Reference: Jin et al., Ultra-imbalanced classification guided by statistical information, 2024 (arXiv 2409.04101);
power_boosting is a reconstruction.

>>> import torch
>>> y = torch.tensor([1.0, 0.0])
>>> [round(v, 4) for v in power_loss(torch.tensor([2.0, 2.0]), y, torch.tensor(0.5)).tolist()]
[0.3679, 2.7183]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param

REACH = 20.0


def power_loss(z: Tensor, y: Tensor, a: Tensor) -> Tensor:
    """(B,) log odds, (B,) 1 for positives else 0, () a in (0, 1) -> (B,) losses; no slope beyond |z| = 20."""
    z = z.clamp(-REACH, REACH)
    positive, negative = torch.exp(-(1 - a) * z) / (1 - a), torch.exp(a * z) / a
    return torch.where(y > 0.5, positive, negative) / 2


def loss(net, weights, state, batch, hp):
    """Weighted mean of `share` parts of the power loss and the rest of cross-entropy."""
    z = logits(net, weights, batch.x)
    own = power_loss(z[:, 1] - z[:, 0], batch.t[:, 1], hp["a"])
    return weighted_mean(hp["share"] * own + (1 - hp["share"]) * cross_entropy(z, batch.t), batch.w), state


METHOD = Method(
    name="power_boosting",
    title="Power boosting (TBL-style)",
    family="margin",
    summary="Keeps learning from rare positives however rare they are, where cross-entropy hears them less and less.",
    source="Jin et al. 2024, Ultra-imbalanced classification guided by statistical information (arXiv 2409.04101)",
    equation="l ∝ a e^(−(1−a) z) for positives, (1−a) e^(a z) for negatives",
    params=(
        Param("a", 0.5, 0.05, 0.95, symbol="a", title="Balance of the two sides",
              help="Below 0.5 missed positives cost more, above it false alarms do; 0.5 treats both alike."),
        Param("share", 1.0, 0.0, 1.0, title="Share of this loss",
              help="0 is ERM, 1 this loss alone, between them a mixture with cross-entropy."),
    ),
    papers=(36,),
    needs=frozenset({"binary"}),
    limits=(({"share": 0.0}, "erm", {}),),
    loss=loss,
    reconstruction="The paper's Tunable Boosting Loss was described to us, its formula not seen. This loss is rebuilt "
                   "from the property that the paper proves of it.",
    known_failures="One wrong label with a sure prediction outweighs hundreds of rows, since the loss grows like a "
                   "power of the odds. Independence of rarity holds for the population, not for few rows.",
)  # fmt: skip
