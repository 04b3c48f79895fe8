r"""Borderline-SMOTE: new rows start only from those rows of a small class whose neighbours are mostly of other classes.

    x_new = x + u (x' - x),  u ~ U(0, 1),   for x with  m/2 <= foreign rows among its m nearest < m

k: `k`, the neighbours x' is drawn from; m: `m`, the neighbours that tell danger; a row with m foreign ones is noise.
`kind`: 1 takes x' from the same cell; 2 from all rows, and goes at most half way to a foreign one. `ratio`: how far
cells are filled; `by`: class or group ("foreign" is then every other subgroup). By imbalanced-learn's
BorderlineSMOTE; a cell without a row in danger gets none. Rows are counted; a new row takes data weight and attribute
group of the nearest training row of its cell. With ratio 0 this is plain training.
Reference: Han, Wang, Mao, Borderline-SMOTE: a new over-sampling method in imbalanced data sets learning, ICIC 2005.

>>> METHOD.family, METHOD.param("m").default
('resample', 10)
"""

from __future__ import annotations

from core.methods.resample._imblearn import (
    BY,
    FILL,
    cells_for,
    filled,
    grown,
    need_neighbours,
    need_rows,
    neighbours,
    seed_from,
)
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows and the new ones near the border."""
    from imblearn.over_sampling import BorderlineSMOTE

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted = filled(cells, hp["ratio"])
    if not wanted:
        return Rows()
    need_rows(cells, wanted, hp["k"] + 1)
    need_neighbours(cells, hp["m"])
    return grown(task, cells, BorderlineSMOTE(
        sampling_strategy=wanted, k_neighbors=hp["k"], m_neighbors=hp["m"], kind=f"borderline-{hp['kind']}",
        random_state=seed_from(rng),
    ))  # fmt: skip


METHOD = Method(
    name="borderline_smote",
    title="Borderline-SMOTE",
    family="resample",
    summary="Invents rows of small classes only where they meet the others, at the border.",
    source="Han, Wang, Mao 2005, Borderline-SMOTE (ICIC); imbalanced-learn",
    equation="x_new = x + u (x′ − x), x in danger: m/2 ≤ foreign < m",
    params=(
        FILL,
        neighbours(),
        Param("m", 10, 2, 50, stage="prepare", symbol="m", title="Neighbours that tell danger",
              help="A row is at the border if at least half of them, but not all, are foreign. Usual 5 to 20."),
        Param("kind", "1", choices=("1", "2"), stage="prepare", title="Kind",
              help="1: new rows lie between rows of the same class; 2: also half way towards the others."),
        BY,
    ),
    papers=(26,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="Mislabelled rows near the border are multiplied. Where classes are well apart nothing is added. "
                   "Half a category is no category.",
)  # fmt: skip
