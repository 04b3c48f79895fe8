"""Sizes and weights of groups of training rows, shared by the methods that reweight or resample.

Where the data have weights of their own, a group is as large as its weights sum to: a method that makes "all groups
count the same" does so for the population that the weights speak for. The engine multiplies row weights by the data's.
"""

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


def data_weights(task: Task) -> np.ndarray:
    """(M,) the data's own weights of the training rows; ones where there are none."""
    return task.w[task.splits.train].astype(float)


def sizes(cells: np.ndarray, w: np.ndarray | None = None) -> np.ndarray:
    """Rows in each cell, or its summed data weights; 0 where a cell is empty."""
    return np.bincount(cells, w)


def row_weights(weight: np.ndarray, w: np.ndarray) -> Rows:
    """Training rows with loss weights (M,), scaled so that their product with the data weights w has the mean of w."""
    return Rows(weight=weight / np.average(weight, weights=w))


def power_weights(cells: np.ndarray, power: float, w: np.ndarray) -> Rows:
    """Weights proportional to size ** -power of the row's cell, scaled as in `row_weights`."""
    return row_weights(sizes(cells, w)[cells] ** -power, w)


def level(cells: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(M,) factors that give every cell a mean data weight of 1, so that equal numbers of rows count the same."""
    return (sizes(cells) / np.where(sizes(cells) > 0, sizes(cells, w), 1.0))[cells]


def balanced_draw(cells: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(M,) cells, data weights -> (M,) probabilities that draw every observed cell alike, (M,) levelled weights."""
    n = sizes(cells)
    return 1.0 / ((n > 0).sum() * n[cells]), level(cells, w)


def balanced_subset(task: Task, cells: np.ndarray, rng: np.random.Generator) -> Rows:
    """As many rows of every observed cell as the smallest has, drawn without replacement, with levelled weights."""
    n = sizes(cells)
    observed = np.flatnonzero(n)
    if len(observed) < 2:
        raise BadInput("Subsampling", "one group", "at least two groups or classes", "choose other groups")
    order = rng.permutation(len(cells))
    order = order[np.argsort(cells[order], kind="stable")]
    rank = np.arange(len(cells)) - np.repeat((np.cumsum(n) - n), n)
    kept = np.sort(order[rank < n[observed].min()])
    return Rows(index=task.splits.train[kept], weight=level(cells[kept], data_weights(task)[kept]))
