r"""SMOTE-bagging: every tree sees a bootstrap sample whose rare cells are filled up with points between neighbours.

    x_new = x + u (x' - x),   u ~ U(0, 1),   x' one of the k nearest rows of the same cell

    n_t(g) = n_g + s_t (max n - n_g)

k: `k`; T: `n_members`; `depth` of the trees; cells are classes or groups: `by`. s_t is `amount` in every round
(`schedule` uniform) or grows from 0 to `amount` (progressive). A cell of m rows uses at most m - 1 neighbours; a single
row is repeated. A new row has the weight of the row it starts from. Departures: the share of new rows is the same in
every member, where the paper lets it run from 90 % to 0 over the members; neighbours are sought among all rows, where
the published package seeks them in each bootstrap sample and often finds copies. Works on encoded features: categories
may come out by half. k = 5 is SMOTE's own; T = 50 as in the published comparison.
Reference: Wang and Yao, Diversity analysis on imbalanced data sets by using ensemble models, 2009.

>>> METHOD.param("k").default
5
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._bagging import bag, tree_member
from core.methods.ensemble._draws import synthetic_picker
from core.methods.ensemble._members import AMOUNT, BY, DEPTH, MEMBERS, NEIGHBOURS, SCHEDULE, data_of
from core.types import Method, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows, hp["by"])
    pick = synthetic_picker(data, hp, hp["n_members"], replace=True)
    member = tree_member(data.n_classes, hp["depth"])
    rng = np.random.default_rng(seed)
    return bag(data, hp["n_members"], lambda t, mean, rng: pick(t, data.w, rng), member, rng)


METHOD = Method(
    name="smote_bagging",
    title="SMOTE-bagging",
    family="ensemble",
    summary="Trees that each see a bootstrap sample with other invented rows of the rare class vote.",
    source="Wang and Yao 2009, Diversity analysis on imbalanced data sets by using ensemble models (CIDM)",
    equation="x_new = x + u (x′ − x) in every bootstrap sample; p = (1/T) Σ tree_t",
    params=(MEMBERS, NEIGHBOURS, AMOUNT, SCHEDULE, DEPTH, BY),
    papers=(26, 40, 64),
    needs=frozenset({"attr_train"}),
    limits=(({"amount": 0.0}, "over_bagging", {"amount": 0.0}),),
    fit=fit,
    known_failures="New rows between two clusters lie where nobody is. Half a category is no category. With many rows "
                   "the search for neighbours takes long.",
)  # fmt: skip
