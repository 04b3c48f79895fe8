"""Optimisers over stacked weights: every run has its own learning rate and weight decay, all move in one call."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

BETA1, BETA2, EPS, MOMENTUM = 0.9, 0.999, 1e-8, 0.9


def decays(name: str) -> bool:
    """Weight decay is for weights alone: not for biases, scales or an adversary's parameters."""
    return name.endswith(".w") and not name.startswith("adv.")


class StackedOptimizer:
    """AdamW (decoupled decay) or SGD with momentum 0.9 (decay added to the gradient, as in PyTorch).

    Args:
        weights: name -> (R, ...) leaf tensors, changed in place.
        lr, weight_decay: (R,) one value a run.
        kind: "adamw" or "sgd".
    Where all runs share one learning rate and decay on a CPU or CUDA device, PyTorch's fused AdamW does the same
    arithmetic in one pass; else the update is written out below.
    """

    def __init__(self, weights: Mapping[str, Tensor], lr: Tensor, weight_decay: Tensor, kind: str) -> None:
        self.weights, self.kind, self.t = dict(weights), kind, 0
        self.lr, self.weight_decay = lr, weight_decay
        device = next(iter(weights.values())).device.type
        same = bool((lr == lr[0]).all()) and bool((weight_decay == weight_decay[0]).all())
        self.fused = kind == "adamw" and same and device in ("cpu", "cuda")
        self.moments = {f"{slot}.{name}": torch.zeros_like(w) for name, w in weights.items() for slot in self._slots}
        named = [[n for n in weights if decays(n) == decayed] for decayed in (True, False)]
        self.groups = [(names, float(weight_decay[0]) * (1 - k)) for k, names in enumerate(named) if names]

    @property
    def _slots(self) -> tuple[str, ...]:
        return ("m", "v") if self.kind == "adamw" else ("m",)

    def _per_run(self, values: Tensor, like: Tensor) -> Tensor:
        return values.view(-1, *([1] * (like.dim() - 1)))

    @torch.no_grad()
    def step(self, grads: Mapping[str, Tensor]) -> None:
        """Apply one update; grads has the keys and shapes of the weights."""
        self.t += 1
        if self.fused:
            self._fused_step(grads)
            return
        for name, w in self.weights.items():
            lr = self._per_run(self.lr, w)
            decay = self._per_run(self.weight_decay, w) if decays(name) else 0.0
            if self.kind == "sgd":
                m = self.moments[f"m.{name}"].mul_(MOMENTUM).add_(grads[name] + decay * w)
                w.sub_(lr * m)
                continue
            m, v = self.moments[f"m.{name}"], self.moments[f"v.{name}"]
            m.lerp_(grads[name], 1 - BETA1)
            v.mul_(BETA2).addcmul_(grads[name], grads[name], value=1 - BETA2)
            w.mul_(1 - lr * decay)
            bound = (v / (1 - BETA2**self.t)).sqrt_().add_(EPS)
            w.sub_(lr / (1 - BETA1**self.t) * m / bound)

    def _fused_step(self, grads: Mapping[str, Tensor]) -> None:
        for names, decay in self.groups:
            count = torch.tensor(float(self.t), device=self.lr.device)
            torch._fused_adamw_(
                [self.weights[n] for n in names], [grads[n] for n in names],
                [self.moments[f"m.{n}"] for n in names], [self.moments[f"v.{n}"] for n in names],
                [], [count] * len(names), lr=float(self.lr[0]), beta1=BETA1, beta2=BETA2, weight_decay=decay,
                eps=EPS, amsgrad=False, maximize=False,
            )  # fmt: skip

    def state(self) -> dict[str, Tensor]:
        """Everything needed to go on: moments and the step count."""
        return {**self.moments, "t": torch.tensor(self.t)}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Undo of `state`, in place."""
        self.t = int(state["t"])
        for name, moment in self.moments.items():
            moment.copy_(state[name])
