"""Balanced row weights for the scikit-learn methods."""

from __future__ import annotations

import numpy as np

from core.types import Param, Rows, Task

BALANCE = Param(
    "balance", "class", choices=("class", "group", "none"), static=True, title="Balance",
    help="class: rare classes weigh more; group: every class within every attribute group weighs the same; none: "
    "as is.",
)  # fmt: skip


def balanced(task: Task, rows: Rows, by: str) -> np.ndarray:
    """(M,) weights of the rows times total / (cells x size of the row's cell); sizes are summed weights."""
    weight = np.asarray(rows.weight)
    if by == "none":
        return weight
    cells = (task.y if by == "class" else task.subgroup)[rows.index]
    n = np.bincount(cells, weight)
    return weight * weight.sum() / ((n > 0).sum() * n[cells])
