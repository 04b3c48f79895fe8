r"""SMOTE + ERM: fill up small classes (or groups) with points between a row and one of its nearest neighbours.

    x_new = x + u (x' - x),   u ~ U(0, 1),   x' one of the k nearest rows of the same cell

k: `k`; `ratio`: how far every cell is filled, as a share of the largest one (1 is balance); `by`: class or subgroup.
Works on the encoded features, so a new row may have a category "by half" (departure from SMOTE-NC, which votes).
New rows keep label and attribute group of their base row. A cell of m rows uses at most m - 1 neighbours; a
single row can only be repeated. Only training rows are used and nothing is added to validation or test. On data with
weights rows are counted, a new row takes the weight of its base row, and all are scaled to mean 1.
Reference: Chawla, Bowyer, Hall, Kegelmeyer, SMOTE: synthetic minority over-sampling technique, JAIR 2002.

>>> import numpy as np
>>> new = between_neighbours(np.array([[0.0], [1.0], [10.0]]), 5, 1, np.random.default_rng(0))[0]
>>> new.shape, bool(((new >= 0) & (new <= 10)).all())
((5, 1), True)
"""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from core.methods._cells import cells_of, data_weights, sizes
from core.types import Method, Param, Rows, Task


def between_neighbours(x: np.ndarray, n: int, k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """n new points among the rows of x (m, D) -> ((n, D) points, (n,) base rows)."""
    base = rng.integers(0, len(x), n)
    k = min(k, len(x) - 1)
    if k < 1:
        return x[base], base
    near = NearestNeighbors(n_neighbors=k + 1).fit(x).kneighbors(x[np.unique(base)], return_distance=False)
    row = np.searchsorted(np.unique(base), base)
    others = near[row]
    # The row itself is usually, but with equal rows not always, the first neighbour: it is moved out of the way.
    itself = others == base[:, None]
    order = np.argsort(itself, axis=1, kind="stable")
    others = np.take_along_axis(others, order, axis=1)[:, :k]
    partner = others[np.arange(n), rng.integers(0, k, n)]
    return x[base] + rng.random((n, 1)) * (x[partner] - x[base]), base


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows and the new ones that fill every smaller cell up to ratio x the largest."""
    rows, cells = task.splits.train, cells_of(task, hp["by"])
    n = sizes(cells)
    wanted = np.round(hp["ratio"] * n.max()).astype(int)
    made = []
    for cell in np.flatnonzero((n > 0) & (n < wanted)):
        members = rows[cells == cell]
        x, base = between_neighbours(task.x[members], wanted - n[cell], hp["k"], rng)
        made.append((x, members[base]))
    if not made:
        return Rows()
    base = np.concatenate([b for _, b in made])
    x = np.concatenate([x for x, _ in made]).astype(np.float32)
    old = data_weights(task)
    weight = np.concatenate([np.ones(len(rows)), task.w[base]]) / np.concatenate([old, task.w[base]]).mean()
    return Rows(weight=weight, x=x, y=task.y[base], attr=task.attr[base])


METHOD = Method(
    name="smote",
    title="SMOTE + ERM",
    family="resample",
    summary="Invents rows between neighbours of a small class or group until it is as large as the others.",
    source="Chawla, Bowyer, Hall, Kegelmeyer 2002, SMOTE (JAIR)",
    equation="x_new = x + u (x′ − x)",
    params=(
        Param("ratio", 1.0, 0.05, 1.0, stage="prepare", title="Fill up to",
              help="Size every smaller cell reaches, as a share of the largest. 1 balances them."),
        Param("k", 5, 1, 50, stage="prepare", symbol="k", title="Neighbours",
              help="New points lie between a row and one of its k nearest. Usual 3 to 10."),
        Param("by", "class", choices=("class", "group"), stage="prepare", title="Balance",
              help="class: rare classes are filled up; group: every class within every attribute group."),
    ),
    papers=(26,),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="New rows between two clusters lie where nobody is. Probabilities speak for a balanced world: read "
                   "them with the prior corrected. Half a category is no category.",
)  # fmt: skip
