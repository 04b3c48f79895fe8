r"""Class-balanced loss: weights by the inverse *effective number* of samples of a group.

    w_i = c (1 - beta) / (1 - beta^n_g(i)),  c such that the mean weight over the rows is 1

beta: `beta` (0 gives ERM, 1 in the limit ReWeight). 1 - beta^n is computed as -expm1(n log beta), so a large group
never gets weight 0 (in float32 0.99^4000 rounds to 0 and a published code then takes the group for empty).
Departures: normalised over rows, not over groups; groups are subgroups (`by` = class gives the paper's own form); with
data weights n_g is their sum (see ReWeight).
Reference: Cui, Jia, Lin, Song, Belongie, Class-balanced loss based on effective number of samples, CVPR 2019.

>>> import numpy as np
>>> w = effective_weights(np.array([4000, 100, 10]), 0.99)
>>> [round(float(v), 4) for v in 3 * w / w.sum()]
[0.2301, 0.363, 2.4068]
"""

from __future__ import annotations

import numpy as np

from core.methods._cells import BY_PARAM, cells_of, data_weights, row_weights, sizes
from core.types import Method, Param, Rows, Task


def effective_weights(n: np.ndarray, beta: float) -> np.ndarray:
    """(G,) sizes -> (G,) weights (1 - beta) / (1 - beta^n), 0 for an empty group."""
    if beta == 0.0:
        return (n > 0).astype(float)
    if beta == 1.0:
        return np.where(n > 0, 1.0 / np.where(n > 0, n, 1.0), 0.0)
    return np.where(n > 0, (1.0 - beta) / -np.expm1(np.where(n > 0, n, 1.0) * np.log(beta)), 0.0)


def prepare(task: Task, hp, rng) -> Rows:
    """Weights by effective number of the row's cell, mean 1."""
    cells, w = cells_of(task, hp["by"]), data_weights(task)
    return row_weights(effective_weights(sizes(cells, w), hp["beta"])[cells], w)


METHOD = Method(
    name="cb_loss",
    title="Class-balanced loss",
    family="reweight",
    summary="Weights groups by how many really different rows they hold: past a point, more rows of a kind add little.",
    source="Cui et al. 2019, Class-balanced loss based on effective number of samples (CVPR)",
    equation="w_g ∝ (1 − β) / (1 − β^n_g), mean 1",
    params=(
        Param("beta", 0.9999, 0.0, 1.0, stage="prepare", symbol="β", title="Overlap of rows",
              help="0 weighs every row alike (ERM); near 1 every group counts the same (ReWeight). Usual: 0.99 to "
                   "0.99999."),
        BY_PARAM,
    ),
    papers=(42,),
    needs=frozenset({"attr_train"}),
    limits=(({"beta": 0.0}, "erm", {}), ({"beta": 1.0}, "reweight", {})),
    prepare=prepare,
    known_failures="As ReWeight. With β far below 1 and groups of hundreds of rows it is almost ERM.",
)  # fmt: skip
