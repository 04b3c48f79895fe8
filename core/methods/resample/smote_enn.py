r"""SMOTE-ENN: fill up small classes with SMOTE, then drop every row, old or new, that its neighbours speak against.

    S = rows and x + u (x' - x);   keep x_i of S where its m nearest rows in S are of its own cell

k: `k` neighbours of SMOTE; m: `m` of the cleaning; `kind`: all or most (mode) of them must agree; `ratio`: how far
cells are filled; `by`: class or group. By imbalanced-learn's SMOTE and EditedNearestNeighbours in turn; all cells are
cleaned. Rows are counted; a new row takes data weight and attribute group of the nearest training row of its
cell, all are scaled to mean 1. With ratio 0 these are edited nearest neighbours of all cells.
Reference: Batista, Prati, Monard, A study of the behavior of several methods for balancing machine learning training
data, 2004.

>>> METHOD.family, METHOD.param("m").default
('resample', 3)
"""

from __future__ import annotations

from core.methods.resample._imblearn import (
    BY,
    FILL,
    KIND,
    cells_for,
    filled,
    grown_then_thinned,
    need_neighbours,
    need_rows,
    neighbours,
    seed_from,
)
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """Old and new rows that are left after cleaning."""
    from imblearn.over_sampling import SMOTE
    from imblearn.under_sampling import EditedNearestNeighbours

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted, smote = filled(cells, hp["ratio"]), None
    if wanted:
        need_rows(cells, wanted, hp["k"] + 1)
        smote = SMOTE(sampling_strategy=wanted, k_neighbors=hp["k"], random_state=seed_from(rng))
    need_neighbours(cells, hp["m"])
    clean = EditedNearestNeighbours(sampling_strategy="all", n_neighbors=hp["m"], kind_sel=hp["kind"])
    return grown_then_thinned(task, cells, smote, clean)


METHOD = Method(
    name="smote_enn",
    title="SMOTE-ENN",
    family="resample",
    summary="Invents rows of small classes between neighbours, then drops all rows that lie among foreign ones.",
    source="Batista, Prati, Monard 2004; imbalanced-learn",
    equation="SMOTE, then keep x_i where its m nearest rows agree",
    params=(
        FILL,
        neighbours(),
        Param("m", 3, 1, 20, stage="prepare", symbol="m", title="Neighbours of the cleaning",
              help="How many nearest rows must agree. More drop more."),
        KIND,
        BY,
    ),
    papers=(26,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "edited_nn", {"clean": "all"}),),
    prepare=prepare,
    known_failures="Cleaning drops most where classes overlap, and mostly rows of the large class. Half a category is "
                   "no category.",
)  # fmt: skip
