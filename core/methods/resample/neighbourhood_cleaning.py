r"""Neighbourhood cleaning rule: rows of large classes go that are misjudged, or that make the smallest misjudged.

    drop A1 = rows of larger cells whose k nearest rows are mostly foreign
    drop A2 = rows of cells larger than f min n among the k nearest of a misjudged row of the smallest cell

k: `k`; f: `factor`; cells are classes or groups: `by`. By imbalanced-learn's NeighbourhoodCleaningRule. At the paper's
f = 1/2 every larger cell takes part; above 1 cells near the smallest in size are spared A2. It cleans, it does not
balance. Nothing is drawn: the rows are the same for all seeds. Each row keeps its data weight, all scaled to mean 1.
Reference: Laurikkala, Improving identification of difficult small classes by balancing class distribution, AIME 2001.

>>> METHOD.family, METHOD.param("factor").default
('resample', 0.5)
"""

from __future__ import annotations

from core.methods.resample._imblearn import BY, cells_for, need_neighbours, neighbours, thinned
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows that are left."""
    from imblearn.under_sampling import NeighbourhoodCleaningRule

    cells = cells_for(task, hp["by"], METHOD.title)
    need_neighbours(cells, hp["k"])
    return thinned(task, cells, NeighbourhoodCleaningRule(n_neighbors=hp["k"], threshold_cleaning=hp["factor"]))


METHOD = Method(
    name="neighbourhood_cleaning",
    title="Neighbourhood cleaning",
    family="resample",
    summary="Drops rows of large classes that lie among others, or that crowd rows of the smallest class.",
    source="Laurikkala 2001 (AIME); imbalanced-learn",
    equation="drop A1 (misjudged) and A2 (beside misjudged rare rows)",
    params=(
        neighbours(3, 20),
        Param("factor", 0.5, 0.05, 10.0, log=True, stage="prepare", symbol="f", title="Size from which to clear",
              help="Around misjudged rare rows only classes more than this many times as large are cleared."),
        BY,
    ),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="It clears the surroundings of mislabelled rare rows too. Probabilities near the border become too "
                   "sure.",
)  # fmt: skip
