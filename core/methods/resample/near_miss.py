r"""NearMiss: of the large classes only the rows nearest to the smallest class are kept.

    1: smallest mean distance to the k nearest rows of the smallest cell
    2: smallest mean distance to its k farthest rows
    3: first the m nearest rows to each of its rows, of these the largest mean distance to their k nearest of it

`version` 1, 2 or 3; k: `k`; m: `m` (version 3); `ratio`: the smallest cell as a share of every larger one afterwards;
`by`: class or group. By imbalanced-learn's NearMiss. Version 3 keeps fewer rows where its first step leaves fewer.
Nothing is drawn: the rows are the same for all seeds. Rows are counted, each keeps its data weight, all are scaled to
mean 1. With ratio 0 this is plain training.
Reference: Mani, Zhang, kNN approach to unbalanced data distributions: a case study involving information extraction,
ICML workshop 2003.

>>> METHOD.family, METHOD.param("version").choices
('resample', ('1', '2', '3'))
"""

from __future__ import annotations

from core.methods.resample._imblearn import BY, CUT, cells_for, cut, need_rows, neighbours, thinned
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows that are left."""
    from imblearn.under_sampling import NearMiss

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted = cut(cells, hp["ratio"])
    if not wanted:
        return Rows()
    need_rows(cells, [cells.n.argmin()], hp["k"], "as many as the neighbours")
    if hp["version"] == "3":
        need_rows(cells, wanted, hp["m"], "as many as the neighbours of the first step")
    sampler = NearMiss(sampling_strategy=wanted, version=int(hp["version"]), n_neighbors=hp["k"],
                       n_neighbors_ver3=hp["m"])  # fmt: skip
    return thinned(task, cells, sampler)


METHOD = Method(
    name="near_miss",
    title="NearMiss",
    family="resample",
    summary="Keeps those rows of large classes that lie nearest to the smallest class, and drops the rest.",
    source="Mani, Zhang 2003; imbalanced-learn",
    equation="keep rows with the smallest mean distance to k rows of the smallest class",
    params=(
        CUT,
        Param("version", "1", choices=("1", "2", "3"), stage="prepare", title="Version",
              help="1: near to some rows of the smallest class; 2: near to all of them; 3: some around each of them."),
        neighbours(3, 20),
        Param("m", 3, 1, 20, stage="prepare", symbol="m", title="Neighbours of the first step",
              help="Version 3: rows kept around each row of the smallest class."),
        BY,
    ),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="The kept rows are the hardest and do not speak for their class: version 1 often does worse than "
                   "dropping at random. Outliers of the smallest class decide what is kept.",
)  # fmt: skip
