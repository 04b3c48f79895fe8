"""The inner loop: a stack of models over a range of iterations, stopping for measurements and for cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from core.engine.optim import StackedOptimizer
from core.engine.plan import Cohort
from core.engine.rows import Batches, Pool, stack_hp
from core.engine.stack import make_gradient
from core.types import Method, Net, Task


class Cancelled(Exception):
    """Raised inside the engine when the person asked to stop; never leaves it."""


@dataclass
class Stack:
    """A block of models in training. weights: name -> (R, ...) leaves; state: the method's; iteration: done so far."""

    method: Method
    net: Net
    weights: dict[str, Tensor]
    state: dict[str, Tensor]
    hp: dict[str, Tensor]
    fixed: Mapping[str, object]
    batches: Batches
    optimizer: StackedOptimizer
    iteration: int
    start: int = 0
    step: Callable = field(init=False)
    precision: str = "float32"

    def __post_init__(self) -> None:
        device = next(iter(self.weights.values())).device.type
        self.step = make_gradient(self.method, self.net, self.fixed, self.batches.dims, self.precision, device)

    def checkpoint(self) -> dict[str, Tensor]:
        """All tensors needed to go on, on the CPU and copied."""
        parts = {"weights": self.weights, "state": self.state, "optimizer": self.optimizer.state()}
        flat = {f"{kind}/{k}": v for kind, tensors in parts.items() for k, v in tensors.items()}
        return {k: v.detach().cpu().clone() for k, v in flat.items()} | {"iteration": torch.tensor(self.iteration)}

    def restore(self, saved: Mapping[str, Tensor]) -> None:
        """Undo of `checkpoint`."""
        with torch.no_grad():
            for name, tensor in self.weights.items():
                tensor.copy_(saved[f"weights/{name}"])
        self.state = {k: saved[f"state/{k}"].to(v.device) for k, v in self.state.items()}
        self.optimizer.restore({k[10:]: v for k, v in saved.items() if k.startswith("optimizer/")})
        self.iteration = int(saved["iteration"])


def make_stack(
    task: Task,
    method: Method,
    net: Net,
    cohort: Cohort,
    models: Sequence[int],
    pool: Pool,
    weights: dict[str, Tensor],
    state: dict[str, Tensor],
    *,
    stage: int,
    start: int = 0,
    features: Tensor | None = None,
) -> Stack:
    """Put initial weights and state on the pool's device and give them batches and an optimiser.

    stage: 1 or 2, seen by the method as hp["_stage"]. start: the iteration the stage begins at.
    features: frozen features (R, Q, H) where only heads train; they get no weight decay, methods bring their penalty.
    """  # fmt: skip
    device = str(pool.x.device)
    leaves = {k: v.detach().to(device).clone().requires_grad_() for k, v in weights.items()}
    hp, fixed = stack_hp(method, cohort, models, device)
    settings = [cohort.model(m)[0] for m in models]
    lr = torch.tensor([s["lr"] for s in settings], device=device)
    wd = torch.tensor([s["weight_decay"] if features is None else 0.0 for s in settings], device=device)
    batch = Batches(pool, task, method, cohort.budget.batch_size, features)
    return Stack(
        method=method, net=net, weights=leaves, state={k: v.to(device) for k, v in state.items()}, hp=hp,
        fixed={**fixed, "_stage": torch.tensor(float(stage), device=device)}, batches=batch,
        optimizer=StackedOptimizer(leaves, lr, wd, cohort.budget.optimizer), iteration=start, start=start,
        precision=cohort.precision,
    )  # fmt: skip


def advance(stack: Stack, stop: int, tick: Callable[[int], None]) -> None:
    """Train up to iteration `stop`. `tick(iteration)` is called before every batch and may raise Cancelled."""
    while stack.iteration < stop:
        upto = min(stop, stack.iteration + 64)
        rows, weights, index = stack.batches.chunk(stack.iteration - stack.start, upto - stack.start)
        for k in range(upto - stack.iteration):
            tick(stack.iteration)
            batch = stack.batches.batch(rows[k], weights[k], index[k])
            grads, stack.state = stack.step(stack.weights, stack.state, batch, stack.hp)
            stack.optimizer.step(grads)
            stack.iteration += 1
