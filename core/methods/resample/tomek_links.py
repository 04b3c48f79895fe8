r"""Tomek links: of two rows of different classes that are each other's nearest neighbour the one of the larger goes.

    drop x_i where nn(x_i) = x_j, nn(x_j) = x_i and g_i != g_j

g: the row's cell, class or group by `by`; `clean`: drop from all cells but the smallest, or from every cell (both ends
of a link go). By imbalanced-learn's TomekLinks. It cleans the border, it does not balance. Nothing is drawn: the rows
are the same for all seeds. Each row keeps its data weight, all are scaled to mean 1.
Reference: Tomek, Two modifications of CNN, IEEE Transactions on Systems, Man, and Cybernetics 1976.

>>> METHOD.family, METHOD.param("clean").default
('resample', 'larger')
"""

from __future__ import annotations

from core.methods.resample._imblearn import BY, CLEAN, STRATEGY, cells_for, thinned
from core.types import Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows without links."""
    from imblearn.under_sampling import TomekLinks

    cells = cells_for(task, hp["by"], METHOD.title)
    return thinned(task, cells, TomekLinks(sampling_strategy=STRATEGY[hp["clean"]]))


METHOD = Method(
    name="tomek_links",
    title="Tomek links",
    family="resample",
    summary="Drops rows of larger classes that sit right beside a row of another class.",
    source="Tomek 1976; imbalanced-learn",
    equation="drop mutual nearest neighbours of different classes",
    params=(CLEAN, BY),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="Few rows go, so alone it hardly helps a rare class. Where classes truly overlap it removes the "
                   "overlap from view: probabilities become too sure.",
)  # fmt: skip
