r"""Repeated edited nearest neighbours: rows whose neighbours disagree are dropped, again and again until none does.

    S_0 = all rows,   S_t+1 = edited nearest neighbours of S_t,   until S_t+1 = S_t or t = T

T: `rounds`; k: `k`; `kind`: all or most (mode) of the k nearest rows must be of the row's own cell; cells are classes
or groups: `by`; `clean`: drop from all cells but the smallest, or from every cell. It also stops once a cell is smaller
than the smallest was. By imbalanced-learn's RepeatedEditedNearestNeighbours. Nothing is drawn: the rows are the same
for all seeds. Each row keeps its data weight, all are scaled to mean 1. With one round these are edited nearest
neighbours.
Reference: Tomek, An experiment with the edited nearest-neighbor rule, IEEE Transactions on Systems, Man, and
Cybernetics 1976.

>>> METHOD.family, METHOD.param("rounds").default
('resample', 100)
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
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows with which their neighbours agree, after all rounds."""
    from imblearn.under_sampling import RepeatedEditedNearestNeighbours

    cells = cells_for(task, hp["by"], METHOD.title)
    need_neighbours(cells, hp["k"])
    sampler = RepeatedEditedNearestNeighbours(sampling_strategy=STRATEGY[hp["clean"]], n_neighbors=hp["k"],
                                              kind_sel=hp["kind"], max_iter=hp["rounds"])  # fmt: skip
    return thinned(task, cells, sampler, {FEW_LEFT: few_left(cells)})


METHOD = Method(
    name="repeated_enn",
    title="Repeated edited nearest neighbours",
    family="resample",
    summary="Drops rows of larger classes among foreign neighbours, and repeats until nothing changes.",
    source="Tomek 1976; imbalanced-learn",
    equation="S_t+1 = ENN(S_t) until S_t+1 = S_t",
    params=(
        neighbours(3, 20),
        KIND,
        Param("rounds", 100, 1, 100, stage="prepare", symbol="T", title="Rounds at most",
              help="It usually settles within ten. 1 cleans once."),
        CLEAN,
        BY,
    ),
    needs=frozenset({"attr_train"}),
    limits=(({"rounds": 1}, "edited_nn", {}),),
    prepare=prepare,
    known_failures="Each round eats further into overlapping classes. Small groups inside a large class go first.",
)  # fmt: skip
