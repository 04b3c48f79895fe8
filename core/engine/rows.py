"""Which rows each model of a stack learns from, and the shared order of mini-batches.

Models whose rows are the same share one stream of batches per seed, so that they differ by their setting alone.
A stream is an endless row of blocks: block k is a fresh shuffle of the rows (or, with sampling probabilities, as many
draws with replacement), from a generator keyed by seed and k. Any iteration can therefore be reached without
replaying the ones before, which is what resuming needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from core.engine.plan import Cohort
from core.engine.seeds import numpy_generator
from core.types import BadInput, Batch, Info, Method, Rows, Task


@dataclass(frozen=True)
class Stream:
    """One stream of batches: positions (M,) into the pool, loss weights (M,), sampling probabilities or None, seed."""

    positions: np.ndarray
    weight: np.ndarray
    cumulative: np.ndarray | None
    seed: int

    def block(self, k: int) -> np.ndarray:
        """(M,) indices into `positions`: the k-th shuffle or redraw."""
        size = len(self.positions)
        rng = numpy_generator("order", self.seed, k)
        if self.cumulative is None:
            return rng.permutation(size)
        return np.searchsorted(self.cumulative, rng.random(size), side="right").clip(max=size - 1)

    def take(self, start: int, stop: int) -> np.ndarray:
        """(stop - start,) entries of the endless stream."""
        size = len(self.positions)
        first, last = start // size, (stop - 1) // size
        blocks = np.concatenate([self.block(k) for k in range(first, last + 1)])
        return blocks[start - first * size : stop - first * size]


@dataclass(frozen=True)
class Pool:
    """All rows any model of the stack may see, on the device, and the streams over them.

    x (Q, D), y (Q,), attr (Q,); streams (J); stream_of (M models) -> J. Q is the training rows plus synthetic ones.
    """

    x: Tensor
    y: Tensor
    attr: Tensor
    streams: tuple[Stream, ...]
    stream_of: tuple[int, ...]


def _checked(rows: Rows, task: Task, method: Method, limit: np.ndarray) -> tuple[np.ndarray, Rows]:
    index = limit if rows.index is None else np.asarray(rows.index, dtype=np.int64)
    total = len(index) + (0 if rows.y is None else len(rows.y))
    if total == 0:
        raise BadInput(method.title, "no row to learn from", "at least one row", "choose larger groups")
    for name, values in (("weight", rows.weight), ("prob", rows.prob)):
        if values is not None and len(values) != total:
            raise ValueError(f"{method.name}: {len(values)} {name}s for {total} rows")
    if not np.isin(index, limit, assume_unique=False).all():
        raise ValueError(f"{method.name}: rows outside its allowed part")
    return index, rows


def gather_rows(task: Task, method: Method, cohort: Cohort, models: Sequence[int]) -> list[Rows]:
    """`prepare` of every model; one call for each seed and distinct prepare-settings, so equal rows are one object."""
    if method.prepare is None:
        plain = Rows()
        return [plain for _ in models]
    named = [p.name for p in method.params if p.stage == "prepare" or p.static]
    known: dict[tuple, Rows] = {}
    chosen = []
    for m in models:
        settings, seed = cohort.model(m)
        hp = {n: settings[n] for n in named if n in settings}
        key = (seed, *hp.values())
        if key not in known:
            known[key] = method.prepare(task, hp, numpy_generator("prepare", seed))
        chosen.append(known[key])
    return chosen


def make_pool(
    task: Task, method: Method, rows: Sequence[Rows], seeds: Sequence[int], device: str, allowed: np.ndarray
) -> Pool:
    """Lay the rows of all models into one pool and give models with equal rows and seed one stream.

    rows, seeds: one for each model. allowed: the row numbers of Task that the models may learn from.
    """
    where = np.full(len(task.y), -1, dtype=np.int64)
    where[allowed] = np.arange(len(allowed))
    extras: dict[int, int] = {}  # id(Rows) -> first pool position of its synthetic rows
    parts_x, parts_y, parts_a = [task.x[allowed]], [task.y[allowed]], [task.attr[allowed]]
    size = len(allowed)
    streams: dict[tuple[int, int], int] = {}
    made: list[Stream] = []
    stream_of = []
    for r, seed in zip(rows, seeds, strict=True):
        if (id(r), seed) not in streams:
            index, r = _checked(r, task, method, allowed)
            if r.y is not None and id(r) not in extras:
                extras[id(r)] = size
                parts_x.append(np.asarray(r.x, np.float32))
                parts_y.append(np.asarray(r.y, np.int64))
                parts_a.append(np.asarray(r.attr, np.int64))
                size += len(r.y)
            streams[(id(r), seed)] = len(made)
            made.append(_stream(task, r, index, where, extras.get(id(r)), seed))
        stream_of.append(streams[(id(r), seed)])
    x, y, a = (torch.from_numpy(np.concatenate(p)).to(device) for p in (parts_x, parts_y, parts_a))
    return Pool(x=x, y=y, attr=a, streams=tuple(made), stream_of=tuple(stream_of))


def _stream(task: Task, rows: Rows, index: np.ndarray, where: np.ndarray, extra: int | None, seed: int) -> Stream:
    positions, weight = where[index], task.w[index].astype(np.float64)
    if rows.y is not None and extra is not None:
        positions = np.concatenate([positions, extra + np.arange(len(rows.y))])
        weight = np.concatenate([weight, np.ones(len(rows.y))])
    if rows.weight is not None:
        weight = weight * rows.weight
    cumulative = None
    if rows.prob is not None:
        cumulative = np.cumsum(rows.prob / np.sum(rows.prob))
    return Stream(positions, weight.astype(np.float32), cumulative, seed)


def make_info(task: Task, method: Method, pool: Pool, stream: Stream, n_hidden: int, batch: int, steps: int) -> Info:
    """What a method's `init` may know about the rows of one stream; attribute groups hidden unless declared."""
    y = pool.y.cpu().numpy()[stream.positions]
    attr = pool.attr.cpu().numpy()[stream.positions] if "attr_train" in method.needs else np.zeros_like(y)
    n_cells = task.n_classes * task.n_attrs
    cells = torch.from_numpy(np.bincount(y * task.n_attrs + attr, minlength=n_cells).astype(np.float32))
    grid = cells.view(task.n_classes, task.n_attrs)
    return Info(
        n_rows=len(stream.positions), n_features=pool.x.shape[1], n_classes=task.n_classes, n_attrs=task.n_attrs,
        n_hidden=n_hidden, batch_size=batch, n_steps=steps,
        class_counts=grid.sum(1), attr_counts=grid.sum(0), subgroup_counts=cells,
    )  # fmt: skip


class Batches:
    """Mini-batches for a stack: `dims` says which fields of Batch carry a run axis (0) and which are shared (None).

    features: (R, Q, H), given where only the heads train: each model then sees its own frozen features as x.
    """

    def __init__(self, pool: Pool, task: Task, method: Method, batch_size: int, features: Tensor | None = None) -> None:
        self.pool, self.size, self.features = pool, batch_size, features
        device = pool.x.device
        attr = pool.attr if "attr_train" in method.needs else torch.zeros_like(pool.attr)
        self.fields = {
            "x": pool.x, "y": pool.y,
            "t": torch.eye(task.n_classes, device=device)[pool.y],
            "a": torch.eye(task.n_attrs, device=device)[attr],
            "s": torch.eye(task.n_classes * task.n_attrs, device=device)[pool.y * task.n_attrs + attr],
        }  # fmt: skip
        self.shared = len(pool.streams) == 1
        self.one_each = len(pool.streams) == len(pool.stream_of)
        self.stream_of = torch.tensor(pool.stream_of, device=device)
        self.dims: Any = Batch(*cast(Any, [None if self.shared else 0] * 7))
        if features is not None:
            self.dims = self.dims._replace(x=cast(Any, 0))
            self.fields["x"] = pool.x[:, :0]
            self.each = torch.arange(len(pool.stream_of), device=device)[:, None]

    def chunk(self, start: int, stop: int) -> tuple[Tensor, Tensor, Tensor]:
        """Row positions, loss weights and stream indices ((stop - start), J, B) of iterations start..stop-1."""
        steps, device = stop - start, self.pool.x.device
        taken = [s.take(start * self.size, stop * self.size) for s in self.pool.streams]
        rows = [s.positions[i] for s, i in zip(self.pool.streams, taken, strict=True)]
        weights = [s.weight[i] for s, i in zip(self.pool.streams, taken, strict=True)]
        return tuple(
            torch.from_numpy(np.stack(part)).view(len(part), steps, self.size).transpose(0, 1).contiguous().to(device)
            for part in (rows, weights, taken)
        )  # type: ignore[return-value]

    def batch(self, rows: Tensor, weights: Tensor, index: Tensor) -> Batch:
        """(J, B) -> a Batch with leading run axis, or without one where a single stream serves all models."""
        if self.shared:
            rows, weights, index = rows[0], weights[0], index[0]
        flat = rows.reshape(-1)
        fields = {n: t.index_select(0, flat).view(*rows.shape, *t.shape[1:]) for n, t in self.fields.items()}
        fields |= {"w": weights, "i": index}
        if not (self.shared or self.one_each):
            fields = {name: tensor.index_select(0, self.stream_of) for name, tensor in fields.items()}
            rows = rows.index_select(0, self.stream_of)
        if self.features is not None:
            fields["x"] = self.features[:, rows] if self.shared else self.features[self.each, rows]
        return Batch(**fields)


def stack_hp(
    method: Method, cohort: Cohort, models: Sequence[int], device: str
) -> tuple[dict[str, Tensor], Mapping[str, Any]]:
    """(numeric settings as (R,) tensors, static settings as plain values) of the models."""
    all_settings = [cohort.model(m)[0] for m in models]
    moving, fixed = {}, {}
    for param in method.params:
        if param.stage == "decide":
            continue
        if param.is_number and not param.static:
            values = [float(s[param.name]) for s in all_settings]
            moving[param.name] = torch.tensor(values, dtype=torch.float32, device=device)
        else:
            fixed[param.name] = all_settings[0][param.name]
    return moving, fixed
