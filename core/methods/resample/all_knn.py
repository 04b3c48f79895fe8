r"""All k-NN: edited nearest neighbours with one neighbour, then two, up to k, each on what the one before left.

    S_0 = all rows,   S_j = edited nearest neighbours of S_j-1 with j neighbours,   j = 1 .. k

k: `k`; `kind`: all or most (mode) of the j nearest rows must be of the row's own cell; cells are classes or groups:
`by`; `clean`: drop from all cells but the smallest, or from every cell. It also stops once a cell is smaller than the
smallest was. By imbalanced-learn's AllKNN. Departure: in the paper rows are only marked, and dropped at the end.
Nothing is drawn: the rows are the same for all seeds. Each row keeps its data weight, all are scaled to mean 1. With
one neighbour these are edited nearest neighbours.
Reference: Tomek, An experiment with the edited nearest-neighbor rule, IEEE Transactions on Systems, Man, and
Cybernetics 1976.

>>> METHOD.family, METHOD.param("k").default
('resample', 3)
"""

from __future__ import annotations

from core.methods.resample._imblearn import (
    BY,
    CLEAN,
    FEW_LEFT,
    KIND,
    STRATEGY,
    cells_for,
    few_left,
    need_neighbours,
    neighbours,
    thinned,
)
from core.types import Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows that pass with every number of neighbours."""
    from imblearn.under_sampling import AllKNN

    cells = cells_for(task, hp["by"], METHOD.title)
    need_neighbours(cells, hp["k"])
    sampler = AllKNN(sampling_strategy=STRATEGY[hp["clean"]], n_neighbors=hp["k"], kind_sel=hp["kind"])
    return thinned(task, cells, sampler, {FEW_LEFT: few_left(cells)})


METHOD = Method(
    name="all_knn",
    title="All k-NN",
    family="resample",
    summary="Drops rows of larger classes whose one, two, up to k nearest rows belong to other classes.",
    source="Tomek 1976; imbalanced-learn",
    equation="S_j = ENN(S_j−1; j neighbours), j = 1 … k",
    params=(neighbours(3, 20), KIND, CLEAN, BY),
    needs=frozenset({"attr_train"}),
    limits=(({"k": 1}, "edited_nn", {"k": 1}),),
    prepare=prepare,
    known_failures="It drops more than editing once does. Small groups inside a large class go first.",
)  # fmt: skip
