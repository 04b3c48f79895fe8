r"""SAM: take the gradient not where the model is but at the worst point close by, so that flat minima are preferred.

    e = rho g / ||g||  with g = grad L(theta),     step along grad L(theta + e)

rho: `rho`. rho = 0 is ERM. The norm is over all weights together. Written here for imbalance studies: a sharp minimum
fits rare rows one by one.
Reference: Foret, Kleiner, Mobahi, Neyshabur, Sharpness-aware minimization, ICLR 2021.

>>> import torch
>>> {k: [round(v, 4) for v in t.tolist()] for k, t in ascent({"w": torch.tensor([3.0, 4.0])}, 0.5).items()}
{'w': [0.3, 0.4]}
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.func import grad

from core.types import Method, Param


def ascent(g: dict[str, Tensor], rho: Tensor | float) -> dict[str, Tensor]:
    """Gradients -> the displacement of length rho along them; 0 where the gradient is 0."""
    norm = torch.stack([(v**2).sum() for v in g.values()]).sum().sqrt()
    return {k: rho * v / norm.clamp(min=1e-12) for k, v in g.items()}


def step(net, loss, weights, state, batch, hp):
    """The gradient at the displaced weights."""
    slope = grad(lambda w: loss(net, w, state, batch, hp)[0])
    away = ascent(slope(weights), hp["rho"])
    return slope({k: v + away[k] for k, v in weights.items()}), state


METHOD = Method(
    name="sam",
    title="SAM",
    family="gradient",
    summary="Looks for flat minima: each step uses the gradient at the worst point nearby.",
    source="Foret et al. 2021, Sharpness-aware minimization (ICLR)",
    equation="∇L(θ + ρ g/‖g‖), g = ∇L(θ)",
    params=(
        Param("rho", 0.05, 0.0, 10.0, log=True, symbol="ρ", title="Radius",
              help="How far the worst point may lie. Usual 0.01 to 0.5; 0 is ERM."),
    ),
    limits=(({"rho": 0.0}, "erm", {}),),
    step=step,
    known_failures="Costs two gradients a step. It knows nothing of groups: a flat minimum can be bad for a small one.",
)  # fmt: skip
