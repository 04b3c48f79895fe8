"""Sizes and weights of groups of training rows, shared by the methods that reweight or resample."""

from __future__ import annotations

import numpy as np

from core.types import BadInput, Param, Rows, Task

BY = ("group", "class")
BY_PARAM = Param(
    "by", "group", choices=BY, stage="prepare", title="Balance",
    help="group: every class within every attribute group counts the same; class: only the classes do.",
)  # fmt: skip


def cells_of(task: Task, by: str = "group") -> np.ndarray:
    """(M,) int64 cell of each training row: its subgroup (class x attribute group), or its class alone."""
    rows = task.splits.train
    return task.subgroup[rows] if by == "group" else task.y[rows]


def row_weights(cells: np.ndarray, of_size: np.ndarray) -> Rows:
    """Weight of each row from the weight of its cell (cells,), scaled to mean 1 over the rows."""
    weight = of_size[cells]
    return Rows(weight=weight / weight.mean())


def sizes(cells: np.ndarray) -> np.ndarray:
    """Rows in each cell; 0 where a cell is empty."""
    return np.bincount(cells)


def power_weights(cells: np.ndarray, power: float) -> Rows:
    """Weights proportional to size ** -power, mean 1 over the rows."""
    n = sizes(cells)
    return row_weights(cells, np.where(n > 0, np.maximum(n, 1).astype(float) ** -power, 0.0))


def balanced_subset(task: Task, cells: np.ndarray, rng: np.random.Generator) -> Rows:
    """As many rows of every observed cell as the smallest has, drawn without replacement."""
    n = sizes(cells)
    observed = np.flatnonzero(n)
    if len(observed) < 2:
        raise BadInput("Subsampling", "one group", "at least two groups or classes", "choose other groups")
    order = rng.permutation(len(cells))
    order = order[np.argsort(cells[order], kind="stable")]
    rank = np.arange(len(cells)) - np.repeat((np.cumsum(n) - n), n)
    kept = np.sort(order[rank < n[observed].min()])
    return Rows(index=task.splits.train[kept])
