"""All models of a stack measured at once: logits in chunks of rows, then confusion counts and losses per cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.func import vmap

from core.engine.seeds import numpy_generator
from core.nn.head import logits
from core.types import SPLITS, Method, Net, Task

TRAIN_SAMPLE = 4096
CHUNK_BYTES = 48 * 2**20


@dataclass(frozen=True)
class Part:
    """One split as measured: `rows` of the task, one-hot cells (n, C * A) float64 times w, weights w.
    A cell is class * A + attr."""

    rows: np.ndarray
    x: Tensor
    y: Tensor
    cells: Tensor
    w: Tensor


def train_sample(task: Task) -> np.ndarray:
    """The training rows that are measured: all, or a fixed sample of 4,096 that keeps every subgroup's share and at
    least 50 rows (or all) of each subgroup."""
    rows = task.splits.train
    if len(rows) <= TRAIN_SAMPLE:
        return rows
    group = task.subgroup[rows]
    rng = numpy_generator("train sample", task.fingerprint)
    order = rng.permutation(len(rows))
    order = order[np.argsort(group[order], kind="stable")]
    sizes = np.bincount(group, minlength=task.n_classes * task.n_attrs)
    wanted = np.minimum(sizes, np.maximum(50, np.round(sizes * TRAIN_SAMPLE / len(rows)).astype(int)))
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(rows[order[rank < np.repeat(wanted, sizes)]])


def split_rows(task: Task, method: Method) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows measured as train, val and test. A method that learned from half of the validation rows is measured on
    the other half."""
    val = task.val_select if "fit_val" in method.needs else task.splits.val
    return train_sample(task), val, task.splits.test


def make_parts(task: Task, method: Method, device: str) -> tuple[Part, ...]:
    """The three splits on the device."""
    eye = torch.eye(task.n_classes * task.n_attrs, dtype=torch.float64)
    parts = []
    for rows in split_rows(task, method):
        cells = eye[torch.from_numpy(task.subgroup[rows])]
        w = torch.from_numpy(task.w[rows].astype(np.float64))
        counted = cells * w[:, None]
        x = torch.from_numpy(task.x[rows]).to(device)
        parts.append(Part(rows, x, torch.from_numpy(task.y[rows]).to(device), counted, w))
    return tuple(parts)


def part_sizes(task: Task, method: Method) -> tuple[np.ndarray, np.ndarray]:
    """n and Kish's effective n, each (P, C, A)."""
    shape = (len(SPLITS), task.n_classes, task.n_attrs)
    n, effective = np.zeros(shape), np.zeros(shape)
    for p, rows in enumerate(split_rows(task, method)):
        cells = task.subgroup[rows]
        w = task.w[rows].astype(np.float64)
        size = task.n_classes * task.n_attrs
        total, squares = np.bincount(cells, w, size), np.bincount(cells, w * w, size)
        n[p] = np.bincount(cells, minlength=size).reshape(shape[1:])
        effective[p] = np.divide(total**2, squares, out=np.zeros(size), where=squares > 0).reshape(shape[1:])
    return n, effective


@torch.no_grad()
def stacked_logits(net: Net, weights: Mapping[str, Tensor], x: Tensor) -> Tensor:
    """Weights with leading run axis (R, ...), x (n, D) shared -> (R, n, C), in chunks of rows of bounded memory."""
    runs = next(iter(weights.values())).shape[0]
    kept = {k: v.detach() for k, v in weights.items()}
    widest = max((v.numel() // v.shape[0] // max(v.shape[1], 1) for v in kept.values() if v.dim() == 3), default=64)
    if any(v.dim() == 5 for v in kept.values()):
        widest = max(v.shape[1] for v in kept.values() if v.dim() == 5) * x.shape[1]
    least = 64
    if net.widest is not None:
        widest, least = net.widest(kept), 4
    rows = max(least, CHUNK_BYTES // (4 * runs * max(widest, 1)))
    forward = vmap(lambda w, part: logits(net, w, part), in_dims=(0, None))
    return torch.cat([forward(kept, part) for part in x.split(rows)], dim=1)


def count(z: Tensor, part: Part, n_classes: int, n_attrs: int) -> tuple[np.ndarray, np.ndarray]:
    """(R, n, C) logits -> weighted confusion counts (R, A, C, C) and mean losses (R, C, A), NaN for empty cells.

    A run with any non-finite logit gets NaN throughout: it has diverged.
    """
    losses = torch.logsumexp(z, -1) - z.gather(-1, part.y.expand(z.shape[0], -1)[..., None])[..., 0]
    chosen = z.argmax(-1)
    losses, chosen = losses.cpu().double(), chosen.cpu()  # MPS has no float64: moved first, widened then
    runs = z.shape[0]
    counts = torch.stack([(chosen == c).to(torch.float64) @ part.cells for c in range(n_classes)], -1)
    mass = part.cells.sum(0)
    mean = (losses @ part.cells) / torch.where(mass > 0, mass, torch.nan)
    broken = ~torch.isfinite(losses).all(-1)
    counts[broken], mean[broken] = torch.nan, torch.nan
    # cells are class * A + attr: (R, C, A, C predicted) -> (R, A, C, C predicted)
    table = counts.view(runs, n_classes, n_attrs, n_classes).permute(0, 2, 1, 3)
    return table.numpy().copy(), mean.view(runs, n_classes, n_attrs).numpy()


def count_rule(score: np.ndarray, thresholds: np.ndarray, part: Part, attr: np.ndarray, n_attrs: int) -> np.ndarray:
    """(n,) scores and (A,) thresholds -> weighted confusion counts (A, 2, 2) of the rule score >= threshold."""
    chosen = torch.from_numpy((score >= thresholds[attr]).astype(np.float64))
    positive = chosen @ part.cells
    table = torch.stack([part.cells.sum(0) - positive, positive], -1)
    return table.view(2, n_attrs, 2).permute(1, 0, 2).numpy().copy()


def probabilities(z: Tensor) -> np.ndarray:
    """(R, n, C) logits -> float32 (R, n) probability of the positive class for two classes, else (R, n, C)."""
    p = torch.softmax(z, -1)
    return (p[..., 1] if p.shape[-1] == 2 else p).to("cpu", torch.float32).contiguous().numpy()
