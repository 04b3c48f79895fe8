r"""K-means SMOTE: new rows of a small class are made inside clusters in which it is common, most in the sparse ones.

    n_c ~ d_c^e / m_c   new rows in cluster c;   x_new = x + u (x' - x),   u ~ U(0, 1)

c: those of `clusters` k-means clusters in which the cell has at least the share `share` of all rows, and more than k
rows; m_c its rows there, d_c their mean distance, e grows with m_c; x' one of the `k` nearest rows of the cell in the
cluster. `ratio`: how far cells are filled; `by`: class or group. By imbalanced-learn's KMeansSMOTE.
Departure: the paper asks for half of a cluster's rows (share 0.5), which a rare class often has nowhere; 0.1 is usual.
Rows are counted; a new row takes data weight and attribute group of the nearest training row of its cell. With ratio 0
this is plain training.
Reference: Douzas, Bacao, Last, Improving imbalanced learning through a heuristic oversampling method based on k-means
and SMOTE, Information Sciences 2018.

>>> METHOD.family, METHOD.param("share").default
('resample', 0.1)
"""

from __future__ import annotations

from core.methods.resample._imblearn import BY, FILL, cells_for, filled, grown, need_rows, neighbours, seed_from
from core.types import BadInput, Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows and the new ones within clusters; rounding up may make a few more than wanted."""
    from imblearn.over_sampling import KMeansSMOTE

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted = filled(cells, hp["ratio"])
    if not wanted:
        return Rows()
    need_rows(cells, wanted, hp["k"] + 1)
    if hp["clusters"] > len(cells.x):
        raise BadInput(f"{METHOD.title}, clusters", str(hp["clusters"]), f"at most {len(cells.x)}, the training rows",
                       "use fewer clusters")  # fmt: skip
    nowhere = BadInput(METHOD.title, "no cluster in which every small class is common", "one for each of them",
                       "lower the share or the neighbours, or change the number of clusters")  # fmt: skip
    alike = BadInput(METHOD.title, "equal rows alone in a cluster of a small class", "rows that differ", "use SMOTE")
    sampler = KMeansSMOTE(sampling_strategy=wanted, k_neighbors=hp["k"], kmeans_estimator=hp["clusters"],
                          cluster_balance_threshold=hp["share"], random_state=seed_from(rng))  # fmt: skip
    return grown(task, cells, sampler, {"No clusters found": nowhere, "NaN to integer": alike})


METHOD = Method(
    name="kmeans_smote",
    title="K-means SMOTE",
    family="resample",
    summary="Invents rows of a small class inside clusters where it is common, so that noise is not multiplied.",
    source="Douzas, Bacao, Last 2018 (Information Sciences); imbalanced-learn",
    equation="n_c ∝ d_c^e / m_c, x_new = x + u (x′ − x)",
    params=(
        FILL,
        neighbours(2, 10),
        Param("clusters", 8, 1, 50, stage="prepare", title="Clusters",
              help="Clusters of all training rows. More clusters follow small groups closer."),
        Param("share", 0.1, 0.0, 0.5, stage="prepare", title="Share in a cluster",
              help="Only clusters with at least this share of the small class are filled. 0.5: where it is the most."),
        BY,
    ),
    papers=(26,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="A rare class that is nowhere common is refused. Rows outside the chosen clusters stay as rare as "
                   "they were. Half a category is no category.",
)  # fmt: skip
