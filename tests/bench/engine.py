"""Stacked training against the same models trained one after another, side by side in one run.

Both train ERM on Adult (MLP with 64 hidden units, batches of 256, AdamW) for the same iterations on the same batches
and weights, on the same threads. Printed: seconds, their ratio (median of three alternating repeats), test accuracy
of both, and the peak memory that a cohort of 256 runs adds.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core import registry  # noqa: E402
from core.data.load import default_study, load_task  # noqa: E402
from core.engine.loop import advance, make_stack  # noqa: E402
from core.engine.plan import plan_cohorts  # noqa: E402
from core.engine.rows import gather_rows, make_pool  # noqa: E402
from core.engine.seeds import torch_generator  # noqa: E402
from core.engine.stack import draw_weights  # noqa: E402
from core.engine.train import train_cohort  # noqa: E402
from core.nn.head import logits  # noqa: E402
from core.types import Budget, MethodSpec, TrainSpec  # noqa: E402

STEPS = 115
NET, ERM = registry.net("mlp"), registry.method("erm")
SHAPES = {
    "64 weight decays, one seed": (1, 64),
    "16 weight decays x 4 seeds": (4, 16),
    "64 seeds": (64, 1),
}


def cohort_of(seeds: int, decays: int, iterations: int = STEPS):
    values = tuple(1e-5 * 1.1**k for k in range(decays))
    budget = Budget(iterations=iterations, evaluations=1, weight_decay=values)
    spec = TrainSpec(methods=(MethodSpec("erm"),), seeds=tuple(range(seeds)), budget=budget)
    return plan_cohorts(spec, {"erm": ERM}, NET)[0]


def make_both(task, cohort):
    models = list(range(cohort.n_models))
    seeds = [cohort.model(m)[1] for m in models]
    pool = make_pool(task, ERM, gather_rows(task, ERM, cohort, models), seeds, "cpu", task.splits.train)
    return models, pool, draw_weights(task, ERM, NET, cohort, models)


def train_stacked(task, cohort):
    models, pool, weights = make_both(task, cohort)
    stack = make_stack(task, ERM, NET, cohort, models, pool, weights, {}, stage=1)
    start = time.perf_counter()
    advance(stack, STEPS, lambda i: None)
    return time.perf_counter() - start, {k: v.detach() for k, v in stack.weights.items()}


def plain_model(task, cohort, seed):
    d = task.x.shape[1]
    model = torch.nn.Sequential(torch.nn.Linear(d, 64), torch.nn.ReLU(), torch.nn.Linear(64, task.n_classes))
    start = NET.init(torch_generator("weights", seed, ""), d, task.n_classes, cohort.net_settings, None)
    with torch.no_grad():
        for layer, name in ((model[0], "layer0"), (model[2], "head")):
            layer.weight.copy_(start[f"{name}.w"].T)
            layer.bias.copy_(start[f"{name}.b"])
    return model


def train_plain(task, cohort, only=None):
    """The loop a person would write: nn.Module, DataLoader-free batches, torch.optim.AdamW."""
    models, pool, _ = make_both(task, cohort)
    criterion, trained, seconds = torch.nn.CrossEntropyLoss(), [], 0.0
    for m in models if only is None else models[:only]:
        settings, seed = cohort.model(m)
        model = plain_model(task, cohort, seed)
        biases = [p for n, p in model.named_parameters() if n.endswith("bias")]
        weights = [p for n, p in model.named_parameters() if n.endswith("weight")]
        groups = [{"params": weights, "weight_decay": settings["weight_decay"]}, {"params": biases, "weight_decay": 0}]
        optimizer = torch.optim.AdamW(groups, lr=settings["lr"])
        stream = pool.streams[pool.stream_of[m]]
        rows = torch.from_numpy(stream.positions[stream.take(0, STEPS * 256)]).view(STEPS, 256)
        start = time.perf_counter()
        for index in rows:
            optimizer.zero_grad()
            criterion(model(pool.x[index]), pool.y[index]).backward()
            optimizer.step()
        seconds += time.perf_counter() - start
        trained.append(model)
    return seconds, trained


def accuracies(task, weights, plain):
    x, y = torch.from_numpy(task.x[task.splits.test]), torch.from_numpy(task.y[task.splits.test])
    with torch.no_grad():
        ours = [
            (logits(NET, {k: v[m] for k, v in weights.items()}, x).argmax(-1) == y).float().mean().item()
            for m in range(len(plain))
        ]
        theirs = [(model(x).argmax(-1) == y).float().mean().item() for model in plain]
    return ours, theirs


def main() -> None:
    torch.set_num_threads(2)
    task = load_task(default_study("adult"), Path("."))
    print(f"Adult: {len(task.splits.train):,} training rows, {task.x.shape[1]} inputs; {STEPS} iterations, 2 threads")
    for words, (seeds, decays) in SHAPES.items():
        cohort, ratios = cohort_of(seeds, decays), []
        for _ in range(3):
            stacked, weights = train_stacked(task, cohort)
            looped, plain = train_plain(task, cohort)
            ratios.append(looped / stacked)
        ours, theirs = accuracies(task, weights, plain)
        gap = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
        print(
            f"64 MLPs ({words}): stacked {stacked:.2f} s, loop {looped:.2f} s, ratio {statistics.median(ratios):.1f}"
            f" ({min(ratios):.1f}-{max(ratios):.1f}); mean test accuracy {statistics.mean(ours):.4f} and"
            f" {statistics.mean(theirs):.4f}, largest difference of a pair {gap:.4f}"
        )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cohort = cohort_of(4, 64, iterations=60)
    train_cohort(task, cohort, ERM, NET)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"256 runs on Adult: peak memory of the process {after / 2**20:.2f} GiB ({before / 2**20:.2f} GiB before)")


if __name__ == "__main__":
    main()
