r"""SMOTE with undersampling: small classes are filled up and large ones thinned, each by an amount of its own.

    n_g' = min(n_g (1 + o / 100), max n),   then every cell but the smallest: min(n_g', 100 n_min' / v)

o: `over`, new rows in percent of those there; v: `under`, what the smallest cell is in percent of the others at least,
after filling (200: twice as many), 0 drops nothing; k: `k` neighbours between which new rows lie; cells are classes or
groups: `by`. New rows by imbalanced-learn's SMOTE, dropped ones at random. Sweeps over both amounts give the grid of
the paper, 0 to 500 and 10 to 2000. Departures: the paper also fills beyond the largest class; v here counts new
rows. Rows are counted; a new row takes data weight and attribute group of the nearest training row of its cell, all
are scaled to mean 1. With both amounts 0 this is plain training.
Reference: Chawla, Bowyer, Hall, Kegelmeyer, SMOTE: synthetic minority over-sampling technique, JAIR 2002.

>>> import numpy as np
>>> wanted_rows(np.array([500, 50]), 200, 100).tolist(), wanted_rows(np.array([200, 50]), 0, 200).tolist()
([150, 150], [25, 50])
"""

from __future__ import annotations

import numpy as np

from core.methods.resample._imblearn import BY, as_rows, cells_for, need_rows, neighbours, run, seed_from
from core.types import Method, Param, Rows, Task


def wanted_rows(n: np.ndarray, over: float, under: float) -> np.ndarray:
    """(K,) sizes of cells -> (K,) sizes wanted."""
    wanted = np.minimum(n + np.round(n * over / 100), n.max())
    if under > 0:
        most = max(round(100 * wanted[n.argmin()] / under), 1)
        wanted = np.where(np.arange(len(n)) == n.argmin(), wanted, np.minimum(wanted, most))
    return wanted.astype(int)


def prepare(task: Task, hp, rng) -> Rows:
    """The rows that are left of large cells, those of small ones, and the new ones."""
    from imblearn.over_sampling import SMOTE

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted = wanted_rows(cells.n, hp["over"], hp["under"])
    order = rng.permutation(len(cells.code))
    order = order[np.argsort(cells.code[order], kind="stable")]
    rank = np.arange(len(order)) - np.repeat(np.cumsum(cells.n) - cells.n, cells.n)
    kept = np.sort(order[rank < np.repeat(wanted, cells.n)])
    more = {int(code): int(wanted[code]) for code in np.flatnonzero(wanted > cells.n)}
    if not more:
        return as_rows(task, cells, kept)
    need_rows(cells, more, hp["k"] + 1)
    made = run(cells, SMOTE(sampling_strategy=more, k_neighbors=hp["k"], random_state=seed_from(rng)))
    assert made is not None
    return as_rows(task, cells, kept, made[0][len(order) :], made[1][len(order) :])


METHOD = Method(
    name="smote_under",
    title="SMOTE with undersampling",
    family="resample",
    summary="Invents rows of small classes and drops rows of large ones, each by its own amount.",
    source="Chawla, Bowyer, Hall, Kegelmeyer 2002, SMOTE (JAIR)",
    equation="n_g (1 + o/100), then at most 100 n_min / v",
    params=(
        Param("over", 200.0, 0.0, 1000.0, stage="prepare", symbol="o", title="New rows, percent",
              help="New rows of small cells in percent of those there, at most up to the largest. Usual 100 to 500."),
        Param("under", 100.0, 0.0, 2000.0, stage="prepare", symbol="v", title="Undersampling, percent",
              help="The smallest cell in percent of each other one: 100 is balance, 50 half as many, 0 drops nothing."),
        neighbours(),
        BY,
    ),
    papers=(26,),
    needs=frozenset({"attr_train"}),
    limits=(({"over": 0.0, "under": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="The best pair of amounts differs between data sets: sweep both. Probabilities speak for the "
                   "changed shares. Half a category is no category.",
)  # fmt: skip
