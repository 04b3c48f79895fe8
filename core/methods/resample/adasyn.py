r"""ADASYN: SMOTE that makes most new rows where a small class is hardest to tell from the others.

    n_i = round(n r_i / sum r),   r_i = share of foreign rows among the k nearest of x_i;   x_new = x_i + u (x' - x_i)

n: rows missing in the cell; u ~ U(0, 1); x' one of the k nearest rows of the cell; k: `k`; `ratio`: how far cells are
filled; `by`: class or group ("foreign" is then every other subgroup). By imbalanced-learn's ADASYN. Rounding makes a
few rows more or fewer than wanted; a cell that misses too few for any n_i to reach one half gets none. Rows are
counted; a new row takes data weight and attribute group of the nearest training row of its cell. With ratio 0 this is
plain training.
Reference: He, Bai, Garcia, Li, ADASYN: adaptive synthetic sampling approach for imbalanced learning, IJCNN 2008.

>>> METHOD.family, METHOD.param("k").default
('resample', 5)
"""

from __future__ import annotations

from core.methods.resample._imblearn import (
    BY,
    FILL,
    as_rows,
    cells_for,
    filled,
    need_neighbours,
    need_rows,
    neighbours,
    run,
    seed_from,
)
from core.types import BadInput, Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows and the new ones among foreign neighbours."""
    from imblearn.over_sampling import ADASYN

    cells, seed, old = cells_for(task, hp["by"], METHOD.title), seed_from(rng), len(task.splits.train)
    wanted = filled(cells, hp["ratio"])
    if wanted:
        need_rows(cells, wanted, hp["k"] + 1)
        need_neighbours(cells, hp["k"])
    apart = BadInput(METHOD.title, "a small class without any foreign neighbour", "classes that meet", "use SMOTE")
    while wanted:
        sampler = ADASYN(sampling_strategy=wanted, n_neighbors=hp["k"], random_state=seed)
        made = run(cells, sampler, {"belong to the majority": apart, "No samples will be generated": None})
        if made is not None:
            return as_rows(task, cells, range(old), made[0][old:], made[1][old:])
        wanted.pop(max(wanted, key=lambda code: cells.n[code]))  # the one that misses least gets none
    return Rows()


METHOD = Method(
    name="adasyn",
    title="ADASYN",
    family="resample",
    summary="Invents most rows of a small class where it is surrounded by others, fewest where it is safe.",
    source="He, Bai, Garcia, Li 2008, ADASYN (IJCNN); imbalanced-learn",
    equation="n_i ∝ foreign share among the k nearest of x_i",
    params=(FILL, neighbours(), BY),
    papers=(26,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="Mislabelled rows and outliers, deep among the others, are multiplied most. Half a category is no "
                   "category.",
)  # fmt: skip
