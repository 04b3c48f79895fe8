"""What the reductions by Fairlearn share: the constraint, and training rows in the shape they ask for."""

from __future__ import annotations

import numpy as np

from core.types import Param, Rows, Task

CRITERION = Param(
    "criterion", "parity", choices=("parity", "odds"), title="What should hold",
    help="parity: the groups are selected equally often; odds: equally often among the truly positive and negative.",
)  # fmt: skip
MOST = 20_000


def constraint(criterion: str, eps: float):
    """Fairlearn's moment object."""
    from fairlearn.reductions import DemographicParity, EqualizedOdds

    return (DemographicParity if criterion == "parity" else EqualizedOdds)(difference_bound=eps)


def training(task: Task, rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(M, D) features, (M,) classes and (M,) groups. Fairlearn takes no data weights here: uneven ones become rows
    drawn in proportion to them, and more than MOST rows are thinned, both with fixed draws so that seeds agree."""
    index = task.splits.train if rows.index is None else rows.index
    weight = np.ones(len(index)) if rows.weight is None else np.asarray(rows.weight, dtype=np.float64)
    rng = np.random.default_rng(0)
    if np.ptp(weight) > 1e-9 or len(index) > MOST:
        index = rng.choice(index, min(len(index), MOST), p=weight / weight.sum())
    return task.x[index], task.y[index], task.attr[index]
