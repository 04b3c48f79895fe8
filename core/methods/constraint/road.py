r"""ROAD: hide the group where it is most visible, not only on average.

    adversary u:  descends  mean_i r_i CE(a_i, u(z_i))           weights r: descend  mean_i r_i CE + tau r log r
    model:        descends  mean w l - lam mean_i r_i CE(a_i, u(z_i)),       r >= 0, mean 1 within every group

lam: `lam`; tau: `tau`. `form` "closed" is the authors' BROAD: r is proportional to exp(-CE / tau) within each group of
the batch; "network" learns r as a network of the features and the group. tau large: r = 1, plain adversarial debiasing.
lam = 0 trains the model as ERM. The adversary sees the logits, and the true class as well with `target` "odds".
Departures: one step of adversary, weights and model a batch instead of several inner steps, all with the study's
optimiser; networks have one hidden layer of 16.
Reference: Grari, Laugel, Hashimoto, Lamprier, Detyniecki, On the fairness ROAD, ICLR 2024.

>>> import torch
>>> ce = torch.tensor([0.1, 0.9, 0.5, 0.5]); a = torch.eye(2)[torch.tensor([0, 0, 1, 1])]
>>> [round(v, 3) for v in closed_form(ce, a, 0.5).tolist()]
[1.664, 0.336, 1.0, 1.0]
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.func import grad

from core.group import means
from core.nn.head import cross_entropy, draw_linear, logits
from core.types import Method, Param

HIDDEN = 16


def even(r: Tensor, a: Tensor) -> Tensor:
    """Positive (B,) values and groups (B, A) -> the same scaled to mean 1 within every group of the batch."""
    return r / (a @ means(r, a)).clamp(min=1e-12)


def closed_form(ce: Tensor, a: Tensor, tau: Tensor | float) -> Tensor:
    """(B,) adversary losses -> weights proportional to exp(-ce / tau), mean 1 within every group."""
    power = -ce / tau
    top = torch.where(a > 0, power[:, None], float("-inf")).amax(0)
    top = torch.where(torch.isfinite(top), top, 0.0)
    return even(torch.exp(power - a @ top), a)


def init(info, hp, gen):
    """Adversary "adv.*" and, with form "network", the weights' network "rob.*"."""
    seen = info.n_classes * (2 if hp["target"] == "odds" else 1)
    layers = {"adv.0": (seen, HIDDEN), "adv.1": (HIDDEN, info.n_attrs)}
    if hp["form"] == "network":
        layers |= {"rob.0": (info.n_features + info.n_attrs, HIDDEN), "rob.1": (HIDDEN, 1)}
    params = {}
    for name, (n_in, n_out) in layers.items():
        params[f"{name}.w"], params[f"{name}.b"] = draw_linear(gen, n_in, n_out)
    return params, {}


def _two_layers(weights, name: str, x: Tensor) -> Tensor:
    hidden = torch.relu(x @ weights[f"{name}.0.w"] + weights[f"{name}.0.b"])
    return hidden @ weights[f"{name}.1.w"] + weights[f"{name}.1.b"]


def adversary_losses(net, weights, batch, hp) -> Tensor:
    """(B,) cross-entropy of the adversary's guess of each row's group."""
    z = logits(net, weights, batch.x)
    seen = torch.cat([z, batch.t], dim=-1) if hp["target"] == "odds" else z
    return cross_entropy(_two_layers(weights, "adv", seen), batch.a)


def row_weights(weights, batch, ce: Tensor, hp) -> Tensor:
    """(B,) the weights r of the rows."""
    if hp["form"] == "closed":
        return closed_form(ce, batch.a, hp["tau"])
    x = torch.cat([batch.x.flatten(1), batch.a], dim=-1)
    return even(torch.exp(_two_layers(weights, "rob", x)[:, 0].clamp(-10, 10)), batch.a)


def step(net, loss, weights, state, batch, hp):
    """Gradients of model, adversary and weights in one dict."""
    kinds = {k: k.split(".")[0] if k.startswith(("adv.", "rob.")) else "model" for k in weights}

    def part(kind):
        return {k: v for k, v in weights.items() if kinds[k] == kind}

    def weighed(model, adversary, rest):
        whole = {**model, **adversary, **rest}
        ce = adversary_losses(net, whole, batch, hp)
        r = row_weights(whole, batch, ce.detach(), hp)
        entropy = (batch.w * r * torch.log(r.clamp(min=1e-12))).mean()
        return (batch.w * r * ce).mean(), entropy

    model, adversary, rest = part("model"), part("adv"), part("rob")
    fit = grad(lambda m: loss(net, {**weights, **m}, state, batch, hp)[0])(model)
    hide, read = grad(lambda m, a: weighed(m, a, rest)[0], argnums=(0, 1))(model, adversary)
    grads = {k: fit[k] - hp["lam"] * hide[k] for k in model} | read
    if rest:
        def spread(r):
            read_by, entropy = weighed(model, adversary, r)
            return read_by + hp["tau"] * entropy

        grads |= grad(spread)(rest)
    return grads, state


METHOD = Method(
    name="road",
    title="ROAD (local fairness)",
    family="constraint",
    summary="Hides the group hardest where an adversary sees it best, so that no region is left unfair.",
    source="Grari et al. 2024, On the fairness ROAD (ICLR)",
    equation="min_θ ℓ − λ Σ r·CE(a, u);  r ∝ exp(−CE/τ) within each group",
    params=(
        Param("lam", 0.3, 0.0, 100.0, log=True, symbol="λ", title="Strength of the adversary",
              help="The authors search 0 to 5. From about 1 on the model may only learn to mislead."),
        Param("tau", 0.3, 0.01, 100.0, log=True, symbol="τ", title="Spread of the weights",
              help="Small: only the most revealing rows count; large: plain adversarial debiasing."),
        Param("form", "closed", choices=("closed", "network"), static=True, title="Weights",
              help="closed: computed (BROAD); network: learnt (ROAD)."),
        Param("target", "parity", choices=("parity", "odds"), static=True, title="What should hold",
              help="parity: the prediction tells nothing about the group; odds: nothing beyond the true class."),
    ),
    papers=(50,),
    needs=frozenset({"attr_train"}),
    limits=(({"lam": 0.0}, "erm", {}),),
    init=init,
    step=step,
    known_failures="Where group and label go together, a strength of 1 and more can destroy the model: it learns to "
                   "mislead the adversary. Look at accuracy and at the gap in the worst cells, not at the loss.",
)  # fmt: skip
