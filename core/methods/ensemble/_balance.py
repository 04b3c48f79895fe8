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
    """(M,) weights of the rows times n / (cells x size of the row's cell)."""
    weight = np.asarray(rows.weight)
    if by == "none":
        return weight
    cells = (task.y if by == "class" else task.subgroup)[rows.index]
    n = np.bincount(cells)
    return weight * len(cells) / ((n > 0).sum() * n[cells])
