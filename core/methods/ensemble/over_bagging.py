r"""Over-bagging: every tree sees a bootstrap sample with rare cells drawn as often as the largest; the trees vote.

    p(y | x) = (1/T) sum_t tree_t(x),   tree_t learns from n_t(g) rows of each cell g, drawn with replacement

    n_t(g) = n_g + s_t (max n - n_g)

T: `n_members`; `depth` of the trees; cells are classes or groups: `by`. s_t is `amount` in every round (`schedule`
uniform) or grows from 0 to `amount` (progressive). With amount 0 or balanced data this is plain bagging within cells.
Data weights count: a row keeps its weight, divided at balanced sizes by the mean weight of its cell.
Default T = 50 as in the published comparison. Copies are counted, not stored: a tree costs what a plain one does.
Reference: Wang and Yao, Diversity analysis on imbalanced data sets by using ensemble models, 2009.

>>> METHOD.fit is not None
True
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._bagging import bag, tree_member
from core.methods.ensemble._draws import picker
from core.methods.ensemble._members import AMOUNT, BY, DEPTH, MEMBERS, SCHEDULE, data_of
from core.types import Method, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows, hp["by"])
    pick = picker(data, "over", hp, hp["n_members"], replace=True)
    member = tree_member(data.n_classes, hp["depth"])
    rng = np.random.default_rng(seed)
    return bag(data, hp["n_members"], lambda t, mean, rng: pick(t, data.w, rng), member, rng)


METHOD = Method(
    name="over_bagging",
    title="Over-bagging",
    family="ensemble",
    summary="Trees that each see a bootstrap sample with rare rows drawn more often vote.",
    source="Wang and Yao 2009, Diversity analysis on imbalanced data sets by using ensemble models (CIDM)",
    equation="p = (1/T) Σ tree_t, each from max n draws of every class",
    params=(MEMBERS, AMOUNT, SCHEDULE, DEPTH, BY),
    papers=(40, 64),
    needs=frozenset({"attr_train"}),
    fit=fit,
    known_failures="Full trees learn copied rows by heart: recall of the rare class rises less than by under-bagging. "
                   "A smaller depth helps.",
)  # fmt: skip
