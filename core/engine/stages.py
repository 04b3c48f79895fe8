"""From stage one to stage two of a method that trains twice (JTT, DFR): who learns what, and from which rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from torch.func import vmap

from core.engine.evaluate import stacked_logits
from core.engine.loop import Stack, make_stack
from core.engine.plan import Cohort
from core.engine.rows import Pool, make_pool
from core.engine.seeds import numpy_generator
from core.engine.stack import draw_method, draw_weights
from core.types import BadInput, Method, Net, Stage, Task

DEFAULT_FIRST = 0.5


def first_iterations(method: Method, cohort: Cohort) -> int:
    """Iterations of stage one: hp["first"] of the budget (static), else half. Both stages get at least one."""
    share = cohort.settings[0].get("first", DEFAULT_FIRST)
    total = cohort.budget.iterations
    if total < 2:
        raise BadInput("Iterations", str(total), f"at least 2 for {method.title}, which trains twice", "use 1000")
    return min(max(round(share * total), 1), total - 1)


def stage_one(method: Method) -> Method:
    """ERM with the two-stage method's name, settings and needs: what the first stage trains."""
    return replace(method, loss=None, step=None, init=None)


def ask_between(
    task: Task, method: Method, net: Net, cohort: Cohort, models: Sequence[int], weights: dict[str, Tensor]
) -> list[Stage]:
    """`between` of every model. It sees probabilities (N, C) of training and validation rows; test rows are NaN."""
    seen = np.sort(np.concatenate([task.splits.train, task.splits.val]))
    device = next(iter(weights.values())).device
    x = torch.from_numpy(task.x[seen]).to(device)
    assert method.between is not None
    stages = []
    for r, m in enumerate(models):
        settings, seed = cohort.model(m)
        z = stacked_logits(net, {k: v[r : r + 1] for k, v in weights.items()}, x)[0]
        scores = np.full((len(task.y), task.n_classes), np.nan, np.float32)
        scores[seen] = torch.softmax(z, -1).cpu().numpy()
        stages.append(method.between(task, scores, settings, numpy_generator("between", seed)))
    kinds = {(s.fresh, s.train, s.standardise) for s in stages}
    if len(kinds) > 1:
        raise ValueError(f"{method.name}: `between` must give all runs of a cohort the same kind of second stage")
    return stages


@dataclass
class HeadOnly:
    """Frozen features of a head-only stage and how its heads become full models again.

    frozen: the full weights of stage one; mean, scale: (R, H) standardisation (0 and 1 without it).
    """

    frozen: dict[str, Tensor]
    mean: Tensor
    scale: Tensor

    def full(self, head: dict[str, Tensor]) -> dict[str, Tensor]:
        """Heads (R, H, C) on standardised features -> weights of the whole network, features bit-identical."""
        w = head["head.w"].detach() / self.scale[..., None]
        b = head["head.b"].detach() - torch.einsum("rh,rhc->rc", self.mean, w)
        return {**self.frozen, "head.w": w, "head.b": b}


HEAD_NET = Net(name="head", title="Head", params=(), init=lambda *_: {}, features=lambda weights, x: x)


def _head_stage(net: Net, one: dict[str, Tensor], pool: Pool, standardise: bool) -> tuple[Tensor, HeadOnly]:
    frozen = {k: v.detach() for k, v in one.items()}
    with torch.no_grad():
        features = vmap(net.features, in_dims=(0, None))(frozen, pool.x)
        mean = torch.zeros_like(features[:, 0])
        scale = torch.ones_like(mean)
        if standardise:
            for r, j in enumerate(pool.stream_of):
                used = features[r, torch.from_numpy(np.unique(pool.streams[j].positions))]
                mean[r], scale[r] = used.mean(0), used.std(0, correction=0)
            scale = torch.where(scale > 1e-6, scale, 1.0)
            features = (features - mean[:, None]) / scale[:, None]
    return features, HeadOnly(frozen, mean, scale)


def make_stage_two(
    task: Task, method: Method, net: Net, cohort: Cohort, models: Sequence[int], one: dict[str, Tensor], start: int
) -> tuple[Stack, HeadOnly | None]:
    """The stack of stage two, and for a head-only stage how its heads become full models."""
    stages = ask_between(task, method, net, cohort, models, one)
    kind = stages[0]
    seeds = [cohort.model(m)[1] for m in models]
    allowed = task.val_fit if "fit_val" in method.needs else task.splits.train
    device = str(next(iter(one.values())).device)
    pool = make_pool(task, method, _merged([s.rows for s in stages]), seeds, device, allowed)
    weights = {k: v.detach() for k, v in one.items()}
    if kind.fresh != "none":
        fresh = draw_weights(task, method, net, cohort, models, salt="second")
        weights |= {k: v for k, v in fresh.items() if kind.fresh == "all" or k.startswith("head.")}
    steps = cohort.budget.iterations - start
    features = head = None
    if kind.train == "head":
        features, head = _head_stage(net, one, pool, kind.standardise)
        weights = {k: v for k, v in weights.items() if k.startswith("head.")}
        net = HEAD_NET
    weights, state = draw_method(task, method, cohort, models, pool, weights, steps)
    stack = make_stack(task, method, net, cohort, models, pool, weights, state, stage=2, start=start, features=features)
    return stack, head


def _merged(rows: list) -> list:
    """Equal rows as one object, so that models that learn from the same rows share one stream."""
    known: dict[tuple, object] = {}
    kept = []
    for r in rows:
        key = tuple(None if a is None else (np.shape(a), np.asarray(a).tobytes())
                    for a in (r.index, r.weight, r.prob, r.x, r.y, r.attr))  # fmt: skip
        kept.append(known.setdefault(key, r))
    return kept
