r"""SUBG: throw rows away until every class within every attribute group has as many as the smallest, then train as ERM.

    keep min_g n_g rows of each group, drawn without replacement, anew for every seed

No settings. The smaller set is passed over more often: the budget counts iterations, not epochs. Data weights of the
kept rows are scaled to mean 1 within each group, so that equal sizes also count the same.
Reference: Idrissi, Arjovsky, Pezeshki, Lopez-Paz, Simple data balancing achieves competitive worst-group accuracy,
CLeaR 2022; Chaudhuri et al., Why does throwing away data improve worst-group error?, ICML 2023.

>>> METHOD.family, METHOD.params
('resample', ())
"""

from __future__ import annotations

from core.methods._cells import balanced_subset, cells_of
from core.types import Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """A balanced subset of the training rows."""
    return balanced_subset(task, cells_of(task, "group"), rng)


METHOD = Method(
    name="subg",
    title="SUBG (group subsampling)",
    family="resample",
    summary="Throws rows of large groups away until all have the same size, then trains as usual.",
    source="Idrissi et al. 2022, Simple data balancing achieves competitive worst-group accuracy (CLeaR)",
    equation="keep min n_g rows of each group",
    papers=(3, 42),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="With a tiny smallest group almost everything is thrown away and all groups get worse.",
)
