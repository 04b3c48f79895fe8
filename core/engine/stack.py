"""A stack of models and one optimiser step of all of them: vmap over pure init / loss / step functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.func import vmap

from core.engine.plan import Cohort
from core.engine.rows import Pool, make_info
from core.engine.seeds import torch_generator
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Batch, Method, Net, Task

Gradient = Callable[[dict, dict, Batch, dict], tuple[dict, dict]]


def erm_loss(net: Net, weights: dict[str, Tensor], state: dict, batch: Batch, hp: Mapping[str, Any]):
    """Mean weighted cross-entropy of one model: what every method does unless it says otherwise."""
    return weighted_mean(cross_entropy(logits(net, weights, batch.x), batch.t), batch.w), state


def draw_weights(task: Task, method: Method, net: Net, cohort: Cohort, models: Sequence[int], salt: str = "") -> dict:
    """Initial weights (R, ...). Models of one seed start from the same weights; `salt` draws others."""
    seeds = [cohort.model(m)[1] for m in models]
    drawn = {}
    for seed in dict.fromkeys(seeds):
        gen = torch_generator("weights", seed, salt)
        one = net.init(gen, task.x.shape[1], task.n_classes, cohort.net_settings, task.image_shape)
        if method.head == "cosine":
            one["head.scale"] = torch.tensor(1.0)
        drawn[seed] = one
    return {k: torch.stack([drawn[s][k] for s in seeds]) for k in drawn[seeds[0]]}


def draw_method(
    task: Task, method: Method, cohort: Cohort, models: Sequence[int], pool: Pool, weights: dict, steps: int
) -> tuple[dict, dict]:
    """Run each model's `init`: (weights with the method's own parameters, state), both with leading axis R."""
    if method.init is None:
        return weights, {}
    width = weights["head.w"].shape[1]
    params, states = [], []
    infos = [make_info(task, method, pool, s, width, cohort.budget.batch_size, steps) for s in pool.streams]
    for r, m in enumerate(models):
        settings, seed = cohort.model(m)
        extra, state = method.init(infos[pool.stream_of[r]], settings, torch_generator("method", seed))
        params.append(extra)
        states.append(state)
    weights = dict(weights)
    for name in params[0]:
        weights[name] = torch.stack([torch.as_tensor(p[name], dtype=torch.float32) for p in params])
    return weights, {k: torch.stack([torch.as_tensor(s[k]) for s in states]) for k in states[0]}


def _context(precision: str, device: str) -> AbstractContextManager:
    if precision == "bfloat16":
        return torch.autocast(device_type=device, dtype=torch.bfloat16)
    return nullcontext()


def make_gradient(
    method: Method, net: Net, fixed: Mapping[str, Any], dims: Batch, precision: str = "float32", device: str = "cpu"
) -> Gradient:
    """(weights, state, batch, hp) -> (gradients, new state), all runs at once.

    Runs are independent, so one backward pass through the sum of their losses gives every run its own gradient.
    A method with a `step` of its own is mapped whole, its inner gradients taken by torch.func.
    """
    loss = method.loss or erm_loss

    if method.step is not None:
        own = method.step

        def one_step(w, s, b, h):
            return own(net, loss, w, s, b, {**fixed, **h})

        mapped_step = vmap(one_step, in_dims=(0, 0, dims, 0), randomness="different")

        def own_step(weights, state, batch, hp):
            with _context(precision, device):
                return mapped_step({k: v.detach() for k, v in weights.items()}, state, batch, hp)

        return own_step

    mapped = vmap(lambda w, s, b, h: loss(net, w, s, b, {**fixed, **h}), in_dims=(0, 0, dims, 0))

    def gradient(weights, state, batch, hp):
        with torch.enable_grad(), _context(precision, device):
            values, new_state = mapped(weights, state, batch, hp)
            grads = torch.autograd.grad(values.sum(), list(weights.values()), allow_unused=True)
        filled = {k: torch.zeros_like(w) if g is None else g for (k, w), g in zip(weights.items(), grads, strict=True)}
        return filled, {k: v.detach() for k, v in new_state.items()}

    return gradient
