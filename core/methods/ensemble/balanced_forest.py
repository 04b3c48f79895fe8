r"""Balanced random forest: every tree sees a bootstrap sample of the rarest cell and as many rows of each other one.

    p(y | x) = (1/T) sum_t tree_t(x),   tree_t splits on the best of sqrt(D) random features

T: `n_members`; `depth` of the trees; cells are classes or groups: `by`. Sizes go `amount` of the way to the smallest
one, in every tree (`schedule` uniform) or from 0 to `amount` (progressive); amount 0 is a random forest on bootstrap
samples within cells. Data weights count: a row keeps its weight, divided at balanced sizes by the mean weight of its
cell. Default T = 50 as in the published comparison; forests often take 100 to 500.
Reference: Chen, Liaw, Breiman, Using random forest to learn imbalanced data, Berkeley report 666, 2004.

>>> sorted(p.name for p in METHOD.params)
['amount', 'by', 'depth', 'n_members', 'schedule']
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
    pick = picker(data, "under", hp, hp["n_members"], replace=True)
    member = tree_member(data.n_classes, hp["depth"], "sqrt")
    rng = np.random.default_rng(seed)
    return bag(data, hp["n_members"], lambda t, mean, rng: pick(t, data.w, rng), member, rng)


METHOD = Method(
    name="balanced_forest",
    title="Balanced random forest",
    family="ensemble",
    summary="A random forest whose trees each see as many rows of every class as the rarest one has.",
    source="Chen, Liaw, Breiman 2004, Using random forest to learn imbalanced data",
    equation="p = (1/T) Σ tree_t, each from min n bootstrap rows of every class",
    params=(MEMBERS, AMOUNT, SCHEDULE, DEPTH, BY),
    papers=(40, 64),
    needs=frozenset({"attr_train"}),
    fit=fit,
    known_failures="Its probabilities speak for a balanced world. With very few rare rows every tree sees the same "
                   "ones, and precision is low.",
)  # fmt: skip
