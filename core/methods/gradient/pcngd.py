r"""PCNGD: normalise the gradient of each class before adding them up, so that no class is trained at another's expense.

    g_c = grad of the part of the loss that comes from class c,     step along  sum_c g_c / ||g_c||  (times ||g|| / C)

`form`: "plain" takes the batch as it comes (PCNSGD); "O" draws every class equally often; "R" divides each unit step by
an estimate of how much of it points along that class's true gradient. `rescale`: off is the paper's unit steps; on
multiplies by the mean class norm, so that one learning rate serves both this and ERM. Classes absent from a batch do
not move the weights.
Reconstruction: of "+R" only the idea (rescale by the projected signal) was available. Here the projection is
estimated from two halves of the class's rows: the cosine of their gradients is about the squared share of signal.
Reference: Francazi, Baity-Jesi, Lucchi, A theoretical analysis of the learning dynamics under class imbalance, ICML
2023.

>>> import torch
>>> g = {"w": torch.tensor([[3.0, 0.0], [0.0, 0.5]])}
>>> combine(g, torch.ones(2))["w"].tolist()
[1.0, 1.0]
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.func import jacrev

from core.methods._cells import balanced_draw, cells_of, data_weights
from core.nn.head import cross_entropy, logits
from core.types import Method, Param, Rows

LEAST_SIGNAL = 0.1


def norms(g: dict[str, Tensor]) -> Tensor:
    """Gradients with a leading class axis (C, ...) -> (C,) Euclidean norms over all weights."""
    return torch.stack([v.flatten(1).pow(2).sum(1) for v in g.values()]).sum(0).sqrt()


def combine(g: dict[str, Tensor], scale: Tensor) -> dict[str, Tensor]:
    """Class gradients (C, ...) and factors (C,) -> the sum of scaled unit gradients; a zero gradient adds nothing."""
    length = norms(g)
    factor = torch.where(length > 1e-12, scale / length.clamp(min=1e-12), 0.0)
    return {k: torch.einsum("c...,c->...", v, factor) for k, v in g.items()}


def cosine(a: dict[str, Tensor], b: dict[str, Tensor]) -> Tensor:
    """(C,) cosine of two sets of class gradients."""
    dot = torch.stack([(a[k].flatten(1) * b[k].flatten(1)).sum(1) for k in a]).sum(0)
    return dot / (norms(a) * norms(b)).clamp(min=1e-12)


def class_parts(net, weights, batch, keep: Tensor) -> Tensor:
    """(C,) the loss split by true class, over the rows where keep (B,) is 1; sums to the mean loss."""
    each = cross_entropy(logits(net, weights, batch.x), batch.t) * batch.w * keep
    return each @ batch.t / batch.t.shape[0]


def prepare(task, hp, rng) -> Rows:
    """Every class equally often in form "O", else the training rows."""
    if hp["form"] != "O":
        return Rows()
    prob, weight = balanced_draw(cells_of(task, "class"), data_weights(task))
    return Rows(prob=prob, weight=weight)


def step(net, loss, weights, state, batch, hp):
    """Normalised class gradients added up."""
    everyone = torch.ones_like(batch.w)
    slope = jacrev(lambda w, keep: class_parts(net, w, batch, keep))
    g = slope(weights, everyone)
    scale = torch.ones_like(norms(g))
    if hp["form"] == "R":
        odd = (torch.arange(batch.t.shape[0], device=batch.w.device) % 2).to(batch.w.dtype)
        signal = cosine(slope(weights, odd), slope(weights, 1 - odd)).clamp(min=LEAST_SIGNAL**2).sqrt()
        scale = 1 / signal
    if hp["rescale"]:
        scale = scale * norms(g).mean()
    return combine(g, scale), state


METHOD = Method(
    name="pcngd",
    title="Per-class normalised gradients",
    family="gradient",
    summary="Gives every class a step of the same length, so that the majority does not train first.",
    source="Francazi, Baity-Jesi, Lucchi 2023 (ICML)",
    equation="step along Σ_c g_c / ‖g_c‖",
    params=(
        Param("form", "plain", choices=("plain", "O", "R"), static=True, stage="train", title="Form",
              help="plain: batches as they come; O: every class equally often in a batch; R: unit steps divided by "
                   "their estimated share of signal."),
        Param("rescale", True, choices=(True, False), static=True, title="Keep the usual step size",
              help="On: multiplied by the mean class norm, so that ERM's learning rate suits. Off: unit steps."),
    ),
    papers=(20,),
    prepare=prepare,
    step=step,
    reconstruction="Form R: the paper's rescaling by the projected signal is rebuilt from two halves of the batch.",
    known_failures="With an adaptive optimiser such as AdamW the lengths are normalised once more: use SGD to see the "
                   "paper's dynamics. Close to a minimum unit steps circle round it.",
)  # fmt: skip
