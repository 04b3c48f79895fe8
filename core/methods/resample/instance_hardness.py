r"""Instance hardness threshold: of the large classes those rows are kept that a cross-fitted forest finds easiest.

    keep x_i where p(y_i | x_i) >= q_g,   p from a forest that has not seen x_i,   q_g such that min n / r rows stay

r: `ratio`, the smallest cell as a share of every larger one afterwards; `folds` of the cross-fitting; cells are classes
or groups: `by`. By imbalanced-learn's InstanceHardnessThreshold with a random forest of 100 trees. Rows that share the
threshold's probability all stay, so more than wanted may. Rows are counted, each keeps its data weight, all are scaled
to mean 1. With ratio 0 this is plain training.
Reference: Smith, Martinez, Giraud-Carrier, An instance level analysis of data complexity, Machine Learning 2014.

>>> METHOD.family, METHOD.param("folds").default
('resample', 5)
"""

from __future__ import annotations

from core.methods.resample._imblearn import BY, CUT, cells_for, cut, need_rows, seed_from, thinned
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows that are left."""
    from imblearn.under_sampling import InstanceHardnessThreshold

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted = cut(cells, hp["ratio"])
    if not wanted:
        return Rows()
    need_rows(cells, [cells.n.argmin()], hp["folds"], "as many as the folds")
    sampler = InstanceHardnessThreshold(sampling_strategy=wanted, cv=hp["folds"], random_state=seed_from(rng))
    return thinned(task, cells, sampler)


METHOD = Method(
    name="instance_hardness",
    title="Instance hardness threshold",
    family="resample",
    summary="Drops rows of large classes that a forest finds hardest to place, down to the size wanted.",
    source="Smith, Martinez, Giraud-Carrier 2014 (Machine Learning); imbalanced-learn",
    equation="keep x_i where p(y_i | x_i) ≥ q",
    params=(
        CUT,
        Param("folds", 5, 2, 10, stage="prepare", title="Folds",
              help="Each row is judged by a forest trained on the other folds. More folds take longer."),
        BY,
    ),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="Hard rows of a large class are often a small group inside it: it is the first to go. The border "
                   "moves towards the large class, and probabilities become too sure. Tens of thousands of rows "
                   "take minutes.",
)  # fmt: skip
