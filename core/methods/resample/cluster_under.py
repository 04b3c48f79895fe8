r"""Cluster undersampling: large classes are thinned evenly over clusters, so that each of their kinds keeps some rows.

    goal = min n / r rows of each larger cell
    quota: q rows of each of K clusters, drawn, q such that the goal is met (smaller clusters stay whole)
    nearest: K = goal clusters, of each the row nearest to its centre

r: `ratio`, the smallest cell as a share of every larger one afterwards; `keep`: quota or nearest; K: `clusters`, for
quota; cells are classes or groups: `by`. Clusters by k-means on the encoded features, in each cell alone. Rows are
counted, each keeps its data weight, all are scaled to mean 1. With ratio 0 this is plain training. The recipe is
reconstructed from its description: which of the two ways was used where is not said.
Reference: Kolesnikova et al., Social support detection, 2025; Yen, Lee, Cluster-based under-sampling approaches for
imbalanced data distributions, 2009.

>>> import numpy as np
>>> spread(np.array([0, 0, 0, 0, 1, 2, 2]), np.arange(7.0), 5).tolist()
[0, 1, 4, 5, 6]
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans

from core.methods.resample._imblearn import BY, CUT, as_rows, cells_for, cut, seed_from
from core.types import Method, Param, Rows, Task


def spread(cluster: np.ndarray, order: np.ndarray, goal: int) -> np.ndarray:
    """(goal,) positions, as evenly from all clusters as they have rows; within one, and at the end, lowest order first.

    cluster (M,) numbers; order (M,)."""
    by_cluster = np.lexsort((order, cluster))
    n = np.bincount(cluster)
    rank = np.empty(len(cluster), dtype=np.int64)
    rank[by_cluster] = np.arange(len(cluster)) - np.repeat(np.cumsum(n) - n, n)
    return np.sort(np.lexsort((order, rank))[:goal])


def thin(x: np.ndarray, goal: int, hp, rng: np.random.Generator) -> np.ndarray:
    """(goal,) positions of the rows of x (M, D) that stay."""
    k = goal if hp["keep"] == "nearest" else min(hp["clusters"], len(x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer different rows than clusters: some clusters are then empty
        found = KMeans(k, n_init=1, random_state=seed_from(rng)).fit(x)
    far = ((x - found.cluster_centers_[found.labels_]) ** 2).sum(axis=1)
    return spread(found.labels_, far if hp["keep"] == "nearest" else rng.random(len(x)), goal)


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows that are left."""
    cells = cells_for(task, hp["by"], METHOD.title)
    kept = np.ones(len(cells.code), dtype=bool)
    for code, goal in cut(cells, hp["ratio"]).items():
        members = np.flatnonzero(cells.code == code)
        kept[members] = False
        kept[members[thin(cells.x[members], goal, hp, rng)]] = True
    return as_rows(task, cells, np.flatnonzero(kept))


METHOD = Method(
    name="cluster_under",
    title="Cluster undersampling",
    family="resample",
    summary="Thins large classes evenly over clusters of their rows, so that every kind of row stays present.",
    source="Kolesnikova et al. 2025, Social support detection; Yen, Lee 2009",
    equation="min n / r rows, as many from each cluster",
    params=(
        CUT,
        Param("keep", "quota", choices=("quota", "nearest"), stage="prepare", title="Which rows stay",
              help="quota: as many drawn from each cluster; nearest: as many clusters as rows, the nearest to each "
                   "centre."),
        Param("clusters", 50, 2, 200, stage="prepare", symbol="K", title="Clusters",
              help="For quota: more clusters follow small kinds of rows closer. Usual 10 to 100."),
        BY,
    ),
    papers=(19,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    reconstruction="Both readings of the description are offered: equal quotas, or the row nearest to each centre.",
    known_failures="Outliers make clusters of their own and stay while dense regions are thinned. The paper's best "
                   "scores came from the data left unbalanced. Thousands of clusters take minutes.",
)  # fmt: skip
