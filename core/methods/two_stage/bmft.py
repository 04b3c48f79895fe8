r"""BMFT: find the weights that carry bias and little else, move those alone to close the gap, then refit the head.

    mask = [ I_bias / (I_fit + 1e-10) > its `percentile` ],   I = mean over batches of (d loss / d weight)^2
    1: body <- body - rate * mask * d bias,   2: head, from zero:  min CE (classes alike) + beta * bias

bias = 1/2 (|difference in mean score of positives| + |that of negatives|) between attribute groups (largest minus
smallest for several groups; several classes: mean over true classes of the largest difference of any predicted one).
Every I is scaled to 0..1 within its tensor; the percentile is that of all body weights together. percentile:
`percentile`; rate: `rate`, SGD with momentum 0.9 and decay 5e-4, falling along a cosine over `epochs`; beta: `beta`;
first: `first`, share of the iterations of the plain model; `choose`: "bias" as above, "random" as many weights by lot
and "all" for comparison. Stage one learns from training rows, all else from one half of the validation rows; it is
measured on the other half. Head and class weights: batches are drawn so that all groups count the same.
Departures: the gap of positives and that of negatives are each taken by size, where the authors' code lets them cancel;
the steps on the body come on top of the budget; `rate` is larger than the authors' 1e-4, which is for large images.
Reference: Xue, Yan, Dutt, Haider, Liu, McDonagh, Tsaftaris, BMFT: achieving fairness via bias-based weight masking
fine-tuning, FAIMI at MICCAI 2024 (arXiv 2408.06890).

>>> import torch
>>> both = [{"a.w": torch.tensor([4.0, 1.0, 0.0])}, {"a.w": torch.tensor([0.0, 2.0, 4.0])}]
>>> masked(*both, 0.5)["a.w"].tolist()
[1.0, 0.0, 0.0]
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from core.methods._cells import balanced_draw
from core.methods._deferred import weighted
from core.methods.constraint._gaps import positives, spreads
from core.methods.two_stage._first import FIRST
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param, Rows, Stage, Task

BATCH, MOMENTUM, DECAY = 64, 0.9, 5e-4


def bias(z: Tensor, t: Tensor, a: Tensor, w: Tensor) -> Tensor:
    """(B, C) logits, (B, C) one-hot labels, (B, A) one-hot groups, (B,) weights -> (): the gap in mean scores."""
    p = positives(z)
    return torch.stack([spreads(p, a * t[:, y : y + 1], w).amax(-1) for y in range(t.shape[-1])]).mean(-1)


def fit(z: Tensor, t: Tensor, w: Tensor) -> Tensor:
    """(): cross-entropy in which all classes of the batch count the same."""
    n = w @ t
    each = weighted(w, t @ torch.where(n > 0, 1 / torch.where(n > 0, n, 1.0), 0.0))
    return weighted_mean(cross_entropy(z, t), each)


def masked(of_bias: dict[str, Tensor], of_fit: dict[str, Tensor], percentile: float) -> dict[str, Tensor]:
    """Mean squared gradients by weight -> 1 where their ratio is above the percentile of all, else 0."""

    def scaled(v: Tensor) -> Tensor:
        return (v - v.min()) / (v.max() - v.min()).clamp(min=1e-30)

    ratio = {k: scaled(of_bias[k]) / (scaled(of_fit[k]) + 1e-10) for k in of_bias}
    if not ratio:
        return {}
    cut = np.quantile(torch.cat([r.flatten() for r in ratio.values()]).double().numpy(), percentile)
    return {k: (r.double() > cut).float() for k, r in ratio.items()}


def _batches(task: Task, rng) -> list[tuple[Tensor, ...]]:
    """The fitting half of the validation rows, shuffled: (x, t, a, w) of every batch."""
    rows = rng.permutation(task.val_fit)
    parts = np.array_split(rows, max(1, round(len(rows) / BATCH)))
    eyes = torch.eye(task.n_classes), torch.eye(task.n_attrs)
    return [(torch.from_numpy(task.x[r]), eyes[0][task.y[r]], eyes[1][task.attr[r]], torch.from_numpy(task.w[r]))
            for r in parts]  # fmt: skip


def importance(net, weights: dict[str, Tensor], batches, which: str) -> dict[str, Tensor]:
    """Mean over batches of the squared gradient of "bias" or "fit", for every weight but the head's."""
    body = [k for k in weights if not k.startswith("head.")]
    total = {k: torch.zeros_like(weights[k]) for k in body}
    for x, t, a, w in batches:
        for k, g in _gradient(net, weights, body, x, t, a, w, which).items():
            total[k] += g**2 / len(batches)
    return total


def _gradient(net, weights, names, x, t, a, w, which: str) -> dict[str, Tensor]:
    with torch.enable_grad():
        leaves = {k: v.detach().clone().requires_grad_() for k, v in weights.items()}
        z = logits(net, leaves, x)
        value = bias(z, t, a, w) if which == "bias" else fit(z, t, w)
        grads = torch.autograd.grad(value, [leaves[k] for k in names], allow_unused=True)
    return {k: torch.zeros_like(weights[k]) if g is None else g for k, g in zip(names, grads, strict=True)}


def choose(net, weights, task: Task, hp, rng) -> dict[str, Tensor]:
    """Body weight -> 1 where it may move, else 0."""
    batches = _batches(task, rng)
    of_bias, of_fit = (importance(net, weights, batches, which) for which in ("bias", "fit"))
    mask = masked(of_bias, of_fit, hp["percentile"])
    if hp["choose"] == "all":
        return {k: torch.ones_like(m) for k, m in mask.items()}
    if hp["choose"] == "random" and mask:
        flat = rng.permutation(torch.cat([m.flatten() for m in mask.values()]).numpy())
        parts = np.split(flat, np.cumsum([m.numel() for m in mask.values()])[:-1])
        return {k: torch.from_numpy(p).view(m.shape) for (k, m), p in zip(mask.items(), parts, strict=True)}
    return mask


def debiased(net, weights: dict[str, Tensor], mask: dict[str, Tensor], task: Task, hp, rng) -> dict[str, Tensor]:
    """The weights after the masked descent on the bias."""
    own, names = {k: v.clone() for k, v in weights.items()}, list(mask)
    speed = {k: torch.zeros_like(own[k]) for k in names}
    for epoch in range(hp["epochs"]):
        lr = hp["rate"] * (1 + np.cos(np.pi * epoch / hp["epochs"])) / 2
        for x, t, a, w in _batches(task, rng):
            grads = _gradient(net, own, names, x, t, a, w, "bias")
            for k in names:
                speed[k] = MOMENTUM * speed[k] + mask[k] * (grads[k] + DECAY * own[k])
                own[k] = own[k] - lr * speed[k]
    return own


def between(task: Task, scores: np.ndarray, hp, rng, model) -> Stage:
    """The body moved where the mask allows, a head of zeros, and validation rows with all groups alike."""
    mask = choose(model.net, model.weights, task, hp, rng)
    own = debiased(model.net, model.weights, mask, task, hp, rng)
    own |= {k: torch.zeros_like(v) for k, v in own.items() if k in ("head.w", "head.b")}
    rows = task.val_fit
    prob, weight = balanced_draw(task.attr[rows], task.w[rows].astype(float))
    return Stage(Rows(index=rows, prob=prob, weight=weight), fresh="none", train="head", weights=own)


def loss(net, weights, state, batch, hp):
    """The head's loss: cross-entropy with all classes alike, and the bias."""
    z = logits(net, weights, batch.x)
    return fit(z, batch.t, batch.w) + hp["beta"] * bias(z, batch.t, batch.a, batch.w), state


METHOD = Method(
    name="bmft",
    title="BMFT (mask biased weights, refit the head)",
    family="two_stage",
    summary="Moves only the weights of a trained model that carry its bias, then learns a new last layer on few rows.",
    source="Xue et al. 2024, BMFT: bias-based weight masking fine-tuning (arXiv 2408.06890)",
    equation="mask = [I_bias / I_fit above its percentile];  body: min bias where masked;  head: min CE + β bias",
    params=(
        FIRST,
        Param("percentile", 0.5, 0.0, 1.0, stage="between", title="Weights that stay",
              help="Share of the body's weights, those least to do with bias, that do not move. The authors use 0.5; "
                   "1 moves none."),
        Param("rate", 0.1, 1e-5, 10.0, log=True, stage="between", title="Step on the bias",
              help="Step size while the body moves. The authors use 0.0001 for images; small networks need more."),
        Param("epochs", 10, 0, 50, stage="between", title="Rounds on the bias",
              help="How often the held-out rows are gone through while the body moves. 0 refits the head alone."),
        Param("beta", 0.1, 0.0, 100.0, log=True, symbol="β", title="Weight of the bias for the head",
              help="How much the new head avoids the gap. The authors use 0.1; larger costs accuracy."),
        Param("choose", "bias", choices=("bias", "random", "all"), stage="between", title="Weights that move",
              help="bias: those that matter for the gap and not for the fit; random: as many by lot; all: every one."),
    ),
    papers=(53,),
    needs=frozenset({"attr_val", "fit_val"}),
    between=between,
    loss=loss,
    known_failures="The gap is measured on few held-out rows: closing it there may not do so elsewhere. On simulated "
                   "tables it closed a third of the gap at 2.5 points of AUROC; the paper's loss below 1 point did not "
                   "hold. Without hidden layers there is no body, and only the head is refitted.",
)  # fmt: skip
