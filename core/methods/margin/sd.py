r"""SD, spectral decoupling: keep the logits small, so that one easy feature does not stop others from being learned.

    l_i = CE(z_i, y_i) + lam (1/C) sum_c z_ic^2

z: logits of C classes; lam: `lam` (0 is ERM). Data weights multiply l_i. Departure: the paper punishes half the square
with separate strengths and centres per class where needed; this is the form of DomainBed, the mean over classes.
Reference: Pezeshki et al., Gradient starvation: a learning proclivity in neural networks, NeurIPS 2021.

>>> import torch
>>> round(float(decay(torch.tensor([[3.0, -1.0]]))), 4)
5.0
"""

from __future__ import annotations

from torch import Tensor

from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param


def decay(z: Tensor) -> Tensor:
    """(B, C) logits -> (B,) mean square over the classes."""
    return (z**2).mean(-1)


def loss(net, weights, state, batch, hp):
    """Weighted mean of cross-entropy and the squared logits."""
    z = logits(net, weights, batch.x)
    return weighted_mean(cross_entropy(z, batch.t) + hp["lam"] * decay(z), batch.w), state


METHOD = Method(
    name="sd",
    title="Spectral decoupling",
    family="margin",
    summary="Keeps outputs small, so that learning does not stop at the first easy shortcut.",
    source="Pezeshki et al. 2021, Gradient starvation (NeurIPS)",
    equation="l = CE(z, y) + λ mean_c z_c²",
    params=(
        Param("lam", 0.1, 0.0, 100.0, log=True, symbol="λ", title="Weight of the squared logits",
              help="0 is ERM; more keeps predictions closer to even. Published search 0.00001 to 0.1."),
    ),
    limits=(({"lam": 0.0}, "erm", {}),),
    loss=loss,
    known_failures="Probabilities are pulled towards one half, so they are too timid. With unequal classes the pull is "
                   "towards equal shares. It helps only where other features exist to be learned.",
)  # fmt: skip
