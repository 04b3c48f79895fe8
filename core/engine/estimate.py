"""What a training will cost, before it starts: seconds from a short measurement on this machine, bytes from shapes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch.utils.flop_counter import FlopCounterMode

from core.engine.device import model_bytes, starting_blocks
from core.engine.evaluate import TRAIN_SAMPLE
from core.engine.plan import Cohort, evaluation_steps
from core.engine.seeds import torch_generator
from core.nn.head import logits
from core.types import Method, Net, Task

# A step of a small stack costs this much whatever its size (Python and dispatch), in seconds.
STEP_OVERHEAD = 1.2e-3
# A training step moves about this share of the speed of a bare matrix product (activations, optimiser).
EFFICIENCY = 0.45
# Seconds a scikit-learn fit takes for each row and feature.
LOOPED_SECONDS = 4e-7


@dataclass(frozen=True)
class Estimate:
    """n_runs on the front, n_models really trained, seconds of one worker, peak bytes beyond the data."""

    n_runs: int
    n_models: int
    seconds: float
    bytes: int


@cache
def products_per_second() -> float:
    """Multiply-adds a second that a batched matrix product reaches on this CPU (measured once, about 50 ms)."""
    gen = torch_generator("calibrate")
    a, b = torch.randn(16, 256, 128, generator=gen), torch.randn(16, 128, 64, generator=gen)
    torch.bmm(a, b)
    best = min(_timed(lambda: torch.bmm(a, b)) for _ in range(15))
    return 16 * 256 * 128 * 64 / best


def _timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def model_products(task: Task, cohort: Cohort, net: Net) -> tuple[float, int]:
    """(multiply-adds of one row forward, number of weights) of one model."""
    weights = net.init(torch_generator("size"), task.x.shape[1], task.n_classes, cohort.net_settings, task.image_shape)
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        logits(net, weights, torch.zeros(1, task.x.shape[1]))
    return counter.get_total_flops() / 2, sum(t.numel() for t in weights.values())


def _cohort_cost(task: Task, cohort: Cohort, method: Method, net: Net) -> tuple[float, int]:
    n_train = len(task.splits.train)
    measured = min(n_train, TRAIN_SAMPLE) + len(task.splits.val) + len(task.splits.test)
    per_row = 1 if task.n_classes == 2 else task.n_classes
    scores = cohort.n_runs * (len(task.splits.val) + len(task.splits.test)) * per_row * 4
    if not method.stacked:
        return cohort.n_models * (0.05 + LOOPED_SECONDS * n_train * task.x.shape[1]), scores
    products, _ = model_products(task, cohort, net)
    speed = products_per_second()
    step = 3 * products * cohort.budget.batch_size * cohort.n_models / (speed * EFFICIENCY) + STEP_OVERHEAD
    evaluation = products * measured * cohort.n_models / (speed * 0.7) + 0.01
    seconds = step * cohort.budget.iterations + evaluation * len(evaluation_steps(cohort.budget))
    together = len(starting_blocks(task, cohort, net, "cpu")[0])
    return seconds, together * model_bytes(task, cohort, net) + scores


def estimate(task: Task, cohorts: Sequence[Cohort], methods: Mapping[str, Method], net: Net) -> Estimate:
    """Time and memory of a training on this machine's CPU. A guess within a factor of about two."""
    costs = [_cohort_cost(task, c, methods[c.method], net) for c in cohorts]
    return Estimate(
        n_runs=sum(c.n_runs for c in cohorts),
        n_models=sum(c.n_models for c in cohorts),
        seconds=sum(s for s, _ in costs),
        bytes=max((b for _, b in costs), default=0),
    )
