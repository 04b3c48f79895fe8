r"""One-sided selection: of the large classes only rows near the border are kept, and of these none in a Tomek link.

    C = all rows of the smallest cell and `seeds` rows drawn from a larger one
    keep those rows of the larger one that the nearest row of C calls foreign, and the seeds; then drop Tomek links

cells are classes or groups: `by`. By imbalanced-learn's OneSidedSelection, which takes larger cells one at a time
against the smallest. It thins, it does not balance. Each row keeps its data weight, all are scaled to mean 1.
Reference: Kubat, Matwin, Addressing the curse of imbalanced training sets: one-sided selection, ICML 1997.

>>> METHOD.family, METHOD.param("seeds").default
('resample', 1)
"""

from __future__ import annotations

from core.methods.resample._imblearn import BY, cells_for, need_rows, seed_from, thinned
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows that are left."""
    from imblearn.under_sampling import OneSidedSelection

    cells = cells_for(task, hp["by"], METHOD.title)
    need_rows(cells, range(len(cells.n)), hp["seeds"] + 1, "one more than the rows drawn")
    return thinned(task, cells, OneSidedSelection(n_seeds_S=hp["seeds"], random_state=seed_from(rng)))


METHOD = Method(
    name="one_sided_selection",
    title="One-sided selection",
    family="resample",
    summary="Keeps those rows of large classes that lie towards the smallest class, without those that touch it.",
    source="Kubat, Matwin 1997 (ICML); imbalanced-learn",
    equation="keep rows that 1-NN on C gets wrong, then drop Tomek links",
    params=(
        Param("seeds", 1, 1, 20, stage="prepare", title="Rows drawn to start with",
              help="More of them speak better for the large class: fewer other rows are then kept."),
        BY,
    ),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="Which rows are kept hangs on the few drawn at the start. The safe inside of a large class is lost: "
                   "its probabilities suffer.",
)  # fmt: skip
