r"""Under-bagging: every tree sees all rare rows and as many of the others, drawn anew; the trees vote.

    p(y | x) = (1/T) sum_t tree_t(x),   tree_t learns from n_t(g) rows of each cell g

    n_t(g) = n_g + s_t (min n - n_g)

T: `n_members`; `depth` of the trees; cells are classes or groups: `by`. s_t is `amount` in every round (`schedule`
uniform) or grows from 0 to `amount` (progressive). `replace`: rows of a cell are drawn with or without replacement;
with it and sizes left alone this is plain bagging within cells. Data weights count: a row keeps its weight, divided at
balanced sizes by the mean weight of its cell.
Default T = 50 as in the published comparison: a thousand rows take a tenth of a second.
Reference: Barandela, Valdovinos, Sanchez, New applications of ensembles of classifiers, 2003; Liu et al., IMBENS, 2021.

>>> METHOD.param("n_members").default
50
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._bagging import bag, tree_member
from core.methods.ensemble._draws import picker
from core.methods.ensemble._members import AMOUNT, BY, DEPTH, MEMBERS, SCHEDULE, data_of
from core.types import Method, Param, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows, hp["by"])
    pick = picker(data, "under", hp, hp["n_members"], hp["replace"] == "yes")
    member = tree_member(data.n_classes, hp["depth"])
    rng = np.random.default_rng(seed)
    return bag(data, hp["n_members"], lambda t, mean, rng: pick(t, data.w, rng), member, rng)


METHOD = Method(
    name="under_bagging",
    title="Under-bagging",
    family="ensemble",
    summary="Trees that each see a balanced part of the data, with other rows of the large class each time, vote.",
    source="Barandela, Valdovinos, Sanchez 2003; Liu et al. 2021, IMBENS",
    equation="p = (1/T) Σ tree_t, each from min n rows of every class",
    params=(
        MEMBERS,
        AMOUNT,
        SCHEDULE,
        Param("replace", "no", choices=("no", "yes"), static=True, title="Draw with replacement",
              help="no: all rows of the smallest cell are in every sample; yes: a bootstrap sample of every cell."),
        DEPTH,
        BY,
    ),
    papers=(40, 64),
    needs=frozenset({"attr_train"}),
    limits=(({"replace": "yes", "amount": 0.0}, "over_bagging", {"amount": 0.0}),),
    fit=fit,
    known_failures="Rows of large classes are mostly unseen by any one tree. Its probabilities speak for a balanced "
                   "world. Without replacement and on balanced data its trees hardly differ.",
)  # fmt: skip
