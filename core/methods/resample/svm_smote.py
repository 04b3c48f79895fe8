r"""SVM-SMOTE: new rows of small classes start from the support vectors of a support vector machine.

    x_new = x + u (x' - x)   where at least half of the m nearest rows are foreign,
    x_new = x - s u (x' - x)   where fewer are (away from the neighbour, into new space),   u ~ U(0, 1)

x: support vectors of the cell, noise left out; x': one of the `k` nearest rows of its cell; m: `m`; s: `out_step`;
`ratio`: how far cells are filled; `by`: class or group. By imbalanced-learn's SVMSMOTE with a radial kernel. Rows are
counted; a new row takes data weight and attribute group of the nearest training row of its cell. With ratio 0 this is
plain training.
Reference: Nguyen, Cooper, Kamei, Borderline over-sampling for imbalanced data classification, 2009.

>>> METHOD.family, METHOD.param("out_step").default
('resample', 0.5)
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
from core.types import BadInput, Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows and the new ones around support vectors."""
    from imblearn.over_sampling import SVMSMOTE

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted = filled(cells, hp["ratio"])
    if not wanted:
        return Rows()
    need_rows(cells, wanted, hp["k"] + 1)
    need_neighbours(cells, hp["m"])
    noise = BadInput(METHOD.title, "only foreign rows around every support vector of a small class",
                     "some of its own", "use SMOTE, or more neighbours that tell danger")  # fmt: skip
    sampler = SVMSMOTE(sampling_strategy=wanted, k_neighbors=hp["k"], m_neighbors=hp["m"], out_step=hp["out_step"],
                       random_state=seed_from(rng))  # fmt: skip
    return grown(task, cells, sampler, {"considered as noise": noise})


METHOD = Method(
    name="svm_smote",
    title="SVM-SMOTE",
    family="resample",
    summary="Invents rows of small classes around the rows on which a support vector machine rests.",
    source="Nguyen, Cooper, Kamei 2009; imbalanced-learn",
    equation="x_new = x ± u (x′ − x), x a support vector",
    params=(
        FILL,
        neighbours(),
        Param("m", 10, 2, 50, stage="prepare", symbol="m", title="Neighbours that tell danger",
              help="If at least half of them are foreign a new row lies between rows, else outside. Usual 5 to 20."),
        Param("out_step", 0.5, 0.0, 1.0, stage="prepare", symbol="s", title="Step outwards",
              help="How far new rows go beyond safe support vectors. 0 repeats these rows."),
        BY,
    ),
    papers=(26,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="The machine needs minutes with many thousands of rows. Outward steps put people where nobody is. "
                   "Half a category is no category.",
)  # fmt: skip
