r"""SMOTE-Tomek: fill up small classes with SMOTE, then drop both rows of every Tomek link, old or new.

    S = rows and x + u (x' - x);   drop x_i, x_j of S that are each other's nearest and of different cells

k: `k` neighbours of SMOTE; `ratio`: how far cells are filled; `by`: class or group. By imbalanced-learn's SMOTE and
TomekLinks, one after the other; all cells are cleaned. Rows are counted; a new row takes data weight and attribute
group of the nearest training row of its cell, all are scaled to mean 1. With ratio 0 it drops Tomek links of all cells.
Reference: Batista, Bazzan, Monard, Balancing training data for automated annotation of keywords: a case study, 2003.

>>> METHOD.family, METHOD.param("k").default
('resample', 5)
"""

from __future__ import annotations

from core.methods.resample._imblearn import (
    BY,
    FILL,
    cells_for,
    filled,
    grown_then_thinned,
    need_rows,
    neighbours,
    seed_from,
)
from core.types import Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """Old and new rows that are left after cleaning."""
    from imblearn.over_sampling import SMOTE
    from imblearn.under_sampling import TomekLinks

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted, smote = filled(cells, hp["ratio"]), None
    if wanted:
        need_rows(cells, wanted, hp["k"] + 1)
        smote = SMOTE(sampling_strategy=wanted, k_neighbors=hp["k"], random_state=seed_from(rng))
    return grown_then_thinned(task, cells, smote, TomekLinks(sampling_strategy="all"))


METHOD = Method(
    name="smote_tomek",
    title="SMOTE-Tomek",
    family="resample",
    summary="Invents rows of small classes between neighbours, then drops pairs of classes that touch.",
    source="Batista, Bazzan, Monard 2003; imbalanced-learn",
    equation="SMOTE, then drop mutual nearest neighbours of different classes",
    params=(FILL, neighbours(), BY),
    papers=(26,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "tomek_links", {"clean": "all"}),),
    prepare=prepare,
    known_failures="Cleaning drops the new rows that did the most. Half a category is no category. Probabilities speak "
                   "for a balanced world.",
)  # fmt: skip
