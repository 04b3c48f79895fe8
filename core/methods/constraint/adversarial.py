r"""Adversarial debiasing: an adversary reads the group off the output, the model learns to leave nothing to read.

    adversary u:  descends  L_A(u) = CE(a, u(z[, y]))
    model theta:  descends  grad L_P - proj_{grad L_A} grad L_P - lam grad L_A      (gradients with respect to theta)

z: logits; lam: `lam`; `target`: "parity" shows the adversary z alone, "odds" also the true class; `projection`: the
second term, on as in the paper. lam = 0 without projection trains the model as ERM. The adversary is a network with
one hidden layer of 16 units; both are moved by the same optimiser and learning rate (departure: the authors use a
schedule for lam and their own rates).
Reference: Zhang, Lemoine, Mitchell, Mitigating unwanted biases with adversarial learning, AIES 2018.

>>> import torch
>>> a, b = {"w": torch.tensor([1.0, 1.0])}, {"w": torch.tensor([2.0, 0.0])}
>>> without(a, b)["w"].tolist()
[0.0, 1.0]
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.func import grad

from core.nn.head import cross_entropy, draw_linear, logits, weighted_mean
from core.types import Method, Param

HIDDEN = 16


def init(info, hp, gen):
    """The adversary's weights: "adv.0.w", "adv.0.b", "adv.1.w", "adv.1.b"."""
    inputs = info.n_classes * (2 if hp["target"] == "odds" else 1)
    names, layers = ("adv.0", "adv.1"), ((inputs, HIDDEN), (HIDDEN, info.n_attrs))
    params = {}
    for name, (n_in, n_out) in zip(names, layers, strict=True):
        params[f"{name}.w"], params[f"{name}.b"] = draw_linear(gen, n_in, n_out)
    return params, {}


def adversary_loss(net, weights, batch, hp) -> Tensor:
    """Weighted cross-entropy of the adversary's guess of the group."""
    z = logits(net, weights, batch.x)
    seen = torch.cat([z, batch.t], dim=-1) if hp["target"] == "odds" else z
    hidden = torch.relu(seen @ weights["adv.0.w"] + weights["adv.0.b"])
    return weighted_mean(cross_entropy(hidden @ weights["adv.1.w"] + weights["adv.1.b"], batch.a), batch.w)


def without(g: dict[str, Tensor], other: dict[str, Tensor]) -> dict[str, Tensor]:
    """g minus its projection on `other`, both taken as one long vector."""
    dot = sum((g[k] * other[k]).sum() for k in g)
    square = sum((other[k] ** 2).sum() for k in g)
    share = dot / torch.clamp(torch.as_tensor(square), min=1e-12)
    return {k: g[k] - share * other[k] for k in g}


def step(net, loss, weights, state, batch, hp):
    """Gradients of both players in one dict."""
    model = {k: v for k, v in weights.items() if not k.startswith("adv.")}
    rest = {k: v for k, v in weights.items() if k.startswith("adv.")}
    fit = grad(lambda w: loss(net, w, state, batch, hp)[0])(model)
    read = grad(lambda m, r: adversary_loss(net, {**m, **r}, batch, hp), argnums=(0, 1))(model, rest)
    kept = without(fit, read[0]) if hp["projection"] else fit
    return {**{k: kept[k] - hp["lam"] * read[0][k] for k in model}, **read[1]}, state


METHOD = Method(
    name="adversarial",
    title="Adversarial debiasing",
    family="constraint",
    summary="Trains a second network to guess the group from the prediction, and the model to make that impossible.",
    source="Zhang, Lemoine, Mitchell 2018, Mitigating unwanted biases with adversarial learning (AIES)",
    equation="θ: ∇L_P − proj ∇L_P − λ∇L_A;  u: ∇L_A",
    params=(
        Param("lam", 1.0, 0.0, 100.0, log=True, symbol="λ", title="Strength of the adversary",
              help="How much the model gives up to hide the group. Usual 0.1 to 10."),
        Param("target", "parity", choices=("parity", "odds"), static=True, title="What should hold",
              help="parity: the prediction tells nothing about the group; odds: nothing beyond the true class."),
        Param("projection", True, choices=(True, False), static=True, title="Projection term",
              help="Removes from the model's step whatever would help the adversary, as in the paper."),
    ),
    needs=frozenset({"attr_train"}),
    limits=(({"lam": 0.0, "projection": False}, "erm", {}),),
    init=init,
    step=step,
    known_failures="Two networks chase each other: results vary between seeds; a weak adversary hides a gap instead "
                   "of closing it. Check the gap itself.",
)  # fmt: skip
