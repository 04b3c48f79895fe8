r"""Edited nearest neighbours: rows whose neighbours disagree with their class are dropped.

    keep x_i where all (`kind` all) or most (mode) of its k nearest rows are of its own cell

k: `k`; cells are classes or groups: `by`; `clean`: drop from all cells but the smallest, or from every cell. By
imbalanced-learn's EditedNearestNeighbours. It cleans, it does not balance. Nothing is drawn: the rows are the same for
all seeds. Each row keeps its data weight, all are scaled to mean 1. A class that would lose all its rows is told.
Reference: Wilson, Asymptotic properties of nearest neighbor rules using edited data, IEEE Transactions on Systems, Man,
and Cybernetics 1972.

>>> METHOD.family, METHOD.param("k").default
('resample', 3)
"""

from __future__ import annotations

from core.methods.resample._imblearn import (
    BY,
    CLEAN,
    KIND,
    STRATEGY,
    cells_for,
    need_neighbours,
    neighbours,
    thinned,
)
from core.types import Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows with which their neighbours agree."""
    from imblearn.under_sampling import EditedNearestNeighbours

    cells = cells_for(task, hp["by"], METHOD.title)
    need_neighbours(cells, hp["k"])
    sampler = EditedNearestNeighbours(sampling_strategy=STRATEGY[hp["clean"]], n_neighbors=hp["k"], kind_sel=hp["kind"])
    return thinned(task, cells, sampler)


METHOD = Method(
    name="edited_nn",
    title="Edited nearest neighbours",
    family="resample",
    summary="Drops rows of larger classes whose nearest rows belong to other classes.",
    source="Wilson 1972; imbalanced-learn",
    equation="keep x_i where its k nearest rows are of its own class",
    params=(neighbours(3, 20), KIND, CLEAN, BY),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="What it takes for noise may be a small group inside a large class: it is the first to go. "
                   "Probabilities near the border become too sure.",
)  # fmt: skip
