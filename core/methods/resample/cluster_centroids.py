r"""Cluster centroids: a large class is replaced by the centres of as many k-means clusters as rows are wanted.

    x_c = mean of the rows of cluster c,   c = 1 .. min n / r   in each larger cell

r: `ratio`, the smallest cell as a share of every larger one afterwards; `voting`: soft takes the centres, which are
new rows, hard the training row nearest to each; cells are classes or groups: `by`. By imbalanced-learn's
ClusterCentroids. Rows are counted; a centre takes data weight and attribute group of the nearest training row of its
cell, all are scaled to mean 1. With ratio 0 this is plain training.
Reference: Yen, Lee, Cluster-based under-sampling approaches for imbalanced data distributions, 2009 (clusters);
imbalanced-learn (centres in place of rows).

>>> METHOD.family, METHOD.param("voting").default
('resample', 'soft')
"""

from __future__ import annotations

import numpy as np

from core.methods.resample._imblearn import BY, CUT, as_rows, cells_for, cut, nearest_of_cell, run, seed_from
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows of the smallest cell and the centres of the larger ones."""
    from imblearn.under_sampling import ClusterCentroids

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted = cut(cells, hp["ratio"])
    if not wanted:
        return Rows()
    made = run(cells, ClusterCentroids(sampling_strategy=wanted, voting=hp["voting"], random_state=seed_from(rng)))
    assert made is not None
    x, code = made
    kept, new = np.flatnonzero(~np.isin(cells.code, list(wanted))), np.isin(code, list(wanted))
    base = nearest_of_cell(cells, x[new], code[new])
    if hp["voting"] == "hard":
        return as_rows(task, cells, np.sort(np.concatenate([kept, base])))
    return as_rows(task, cells, kept, x[new], code[new], base)


METHOD = Method(
    name="cluster_centroids",
    title="Cluster centroids",
    family="resample",
    summary="Replaces the rows of large classes by the centres of as many clusters.",
    source="Yen, Lee 2009; imbalanced-learn",
    equation="x_c = mean of cluster c",
    params=(
        CUT,
        Param("voting", "soft", choices=("soft", "hard"), stage="prepare", title="What stands for a cluster",
              help="soft: its centre, a new row; hard: the training row nearest to the centre."),
        BY,
    ),
    papers=(19,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="Centres hide the spread of a class, and dense regions count as little as thin ones. Thousands of "
                   "clusters take minutes. A mean of categories is no category.",
)  # fmt: skip
