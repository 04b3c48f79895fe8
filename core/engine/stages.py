"""From stage one to stage two of a method that trains twice (JTT, DFR): who learns what, and from which rows.

Also for methods that work on the trained model itself (mask its weights, merge several, quantise them): they are given
it between the stages and say what stage two starts from, and how its result becomes a network again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
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
from core.types import BadInput, Method, Net, Stage, Task, Trained

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


def wants_model(method: Method) -> bool:
    """Whether the method's `between` takes the trained model."""
    return method.between is not None and "model" in inspect.signature(method.between).parameters


def call_between(method: Method, task: Task, scores, hp, rng, net: Net, weights: dict[str, Tensor]) -> Stage:
    """`between` for one model; weights without a run axis. The model is handed over where it is asked for."""
    assert method.between is not None
    if not wants_model(method):
        return method.between(task, scores, hp, rng)
    return method.between(task, scores, hp, rng, model=Trained(net, {k: v.detach().cpu() for k, v in weights.items()}))


def ask_between(
    task: Task, method: Method, net: Net, cohort: Cohort, models: Sequence[int], weights: dict[str, Tensor]
) -> list[Stage]:
    """`between` of every model. It sees probabilities (N, C) of training and validation rows; test rows are NaN."""
    seen = np.sort(np.concatenate([task.splits.train, task.splits.val]))
    device = next(iter(weights.values())).device
    x = torch.from_numpy(task.x[seen]).to(device)
    stages = []
    for r, m in enumerate(models):
        settings, seed = cohort.model(m)
        own = {k: v[r] for k, v in weights.items()}
        z = stacked_logits(net, {k: v[None] for k, v in own.items()}, x)[0]
        scores = np.full((len(task.y), task.n_classes), np.nan, np.float32)
        scores[seen] = torch.softmax(z, -1).cpu().numpy()
        stages.append(call_between(method, task, scores, settings, numpy_generator("between", seed), net, own))
    if len({(s.fresh, s.train, s.standardise, _names(s.weights), _names(s.state)) for s in stages}) > 1:
        raise ValueError(f"{method.name}: `between` must give all runs of a cohort the same kind of second stage")
    return stages


def _names(tensors: dict[str, Tensor] | None) -> tuple:
    return tuple((k, tuple(v.shape)) for k, v in (tensors or {}).items())


@dataclass
class HeadOnly:
    """Frozen features of a head-only stage and how its heads become full models again.

    frozen: the full weights of stage one; mean, scale: (R, H) standardisation (0 and 1 without it).
    """

    frozen: dict[str, Tensor]
    mean: Tensor
    scale: Tensor

    def full(self, head: dict[str, Tensor], state: dict[str, Tensor]) -> dict[str, Tensor]:
        """Heads (R, H, C) on standardised features -> weights of the whole network, features bit-identical."""
        w = head["head.w"].detach() / self.scale[..., None]
        b = head["head.b"].detach() - torch.einsum("rh,rhc->rc", self.mean, w)
        return {**self.frozen, "head.w": w, "head.b": b}


@dataclass
class Merged:
    """How trained weights and the state of a stage become the weights of a network: `one` for one model."""

    one: Callable

    def full(self, weights: dict[str, Tensor], state: dict[str, Tensor]) -> dict[str, Tensor]:
        """Both (R, ...) -> weights of the whole network (R, ...)."""
        with torch.no_grad():
            return vmap(self.one)({k: v.detach() for k, v in weights.items()}, state)


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


def _allowed(task: Task, method: Method, stages: list[Stage]) -> tuple[np.ndarray, Method]:
    """Rows of the second stage: the training rows, or half of the validation rows for methods that learn from those,
    or both. With it the method as the stage sees it: the column of groups is shown where those rows' groups are."""
    if "fit_val" not in method.needs:
        return task.splits.train, method
    used = [s.rows.index for s in stages if s.rows.index is not None]
    both = any(np.isin(rows, task.splits.train).any() for rows in used)
    needed = {"attr_val", "attr_train"} if both else {"attr_val"}
    needs = (method.needs - {"attr_train"}) | ({"attr_train"} if needed <= method.needs else set())
    rows = np.sort(np.concatenate([task.splits.train, task.val_fit])) if both else task.val_fit
    return rows, replace(method, needs=needs)


def _given(stages: list[Stage], one: dict[str, Tensor], kind: str) -> dict[str, Tensor]:
    """The "weights" or "state" that the stages bring, stacked (R, ...) on the device of `one`."""
    brought = [getattr(s, kind) or {} for s in stages]
    device = next(iter(one.values())).device
    return {k: torch.stack([b[k].detach() for b in brought]).to(device) for k in brought[0]}


def make_stage_two(
    task: Task, method: Method, net: Net, cohort: Cohort, models: Sequence[int], one: dict[str, Tensor], start: int
) -> tuple[Stack, HeadOnly | Merged | None]:
    """The stack of stage two, and how its weights become full models where they are not."""
    stages = ask_between(task, method, net, cohort, models, one)
    kind = stages[0]
    seeds = [cohort.model(m)[1] for m in models]
    allowed, method = _allowed(task, method, stages)
    device = str(next(iter(one.values())).device)
    pool = make_pool(task, method, _merged([s.rows for s in stages]), seeds, device, allowed)
    weights = {k: v.detach() for k, v in (_given(stages, one, "weights") or one).items()}
    if kind.fresh != "none":
        fresh = draw_weights(task, method, net, cohort, models, salt="second")
        weights |= {k: v for k, v in fresh.items() if kind.fresh == "all" or k.startswith("head.")}
    steps = cohort.budget.iterations - start
    features = None
    full: HeadOnly | Merged | None = Merged(kind.merge) if kind.merge else None
    if kind.train == "head":
        features, full = _head_stage(net, weights, pool, kind.standardise)
        weights = {k: v for k, v in weights.items() if k.startswith("head.")}
        net = HEAD_NET
    weights, state = draw_method(task, method, cohort, models, pool, weights, steps)
    state = state | _given(stages, one, "state")
    stack = make_stack(task, method, net, cohort, models, pool, weights, state, stage=2, start=start, features=features)
    return stack, full


def _merged(rows: list) -> list:
    """Equal rows as one object, so that models that learn from the same rows share one stream."""
    known: dict[tuple, object] = {}
    kept = []
    for r in rows:
        key = tuple(None if a is None else (np.shape(a), np.asarray(a).tobytes())
                    for a in (r.index, r.weight, r.prob, r.x, r.y, r.attr))  # fmt: skip
        kept.append(known.setdefault(key, r))
    return kept
