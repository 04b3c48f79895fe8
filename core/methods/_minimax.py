"""Weights of groups that grow where a group does badly: the exponentiated-gradient player of minimax methods.

    q_g <- q_g exp(eta v_g)  for groups in the batch,  q <- q / sum q

Shared by the methods that train for the worst-off group, whatever "worse off" means to them: a loss, a loss with a
surcharge for small groups, a regret, or a missed share of what was possible.
"""

from __future__ import annotations

import torch
from torch import Tensor


def update(q: Tensor, losses: Tensor, here: Tensor, eta: Tensor | float) -> Tensor:
    """(G,) weights, group losses, presence (1 or 0) -> (G,) new weights that sum to 1.

    Groups at q = 0 stay there, absent ones are not scaled before normalising. The exponentials are taken relative to
    the largest, which changes nothing but the range of eta that stays finite.
    """
    power = eta * torch.where(here > 0, losses, 0.0)
    top = torch.where(q > 0, power, float("-inf")).amax(-1)
    grown = torch.where(q > 0, q, 0.0) * torch.exp((power - top).clamp(max=0.0))
    return grown / grown.sum(-1)


def evenly(counts: Tensor) -> Tensor:
    """(G,) rows -> (G,) equal weights of the groups that have rows, 0 for the others."""
    seen = (counts > 0).to(counts.dtype)
    return seen / seen.sum(-1).clamp(min=1.0)
