r"""Random undersampling: rows of large classes (or groups) are dropped at random until sizes are alike.

    n_g' = min(n_g, min n / r),   drawn without replacement

r: `ratio`, the smallest cell as a share of every larger one afterwards; `by`: class or group. By imbalanced-learn's
RandomUnderSampler. Rows are counted, each keeps its data weight, all are scaled to mean 1 (SUBY and SUBG, at r = 1,
scale them within each cell). With ratio 0 this is plain training.
Reference: Batista, Prati, Monard, A study of the behavior of several methods for balancing machine learning training
data, 2004.

>>> METHOD.family, METHOD.param("ratio").default
('resample', 1.0)
"""

from __future__ import annotations

from core.methods.resample._imblearn import BY, CUT, cells_for, cut, seed_from, thinned
from core.types import Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows that are left."""
    from imblearn.under_sampling import RandomUnderSampler

    cells = cells_for(task, hp["by"], METHOD.title)
    wanted = cut(cells, hp["ratio"])
    if not wanted:
        return Rows()
    return thinned(task, cells, RandomUnderSampler(sampling_strategy=wanted, random_state=seed_from(rng)))


METHOD = Method(
    name="random_under",
    title="Random undersampling",
    family="resample",
    summary="Drops rows of large classes or groups at random, as far as wanted towards equal sizes.",
    source="Batista, Prati, Monard 2004; imbalanced-learn",
    equation="n_g′ = min(n_g, min n / r)",
    params=(CUT, BY),
    papers=(35, 26),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="What is dropped is lost: with a tiny smallest class little is left to learn from. Probabilities "
                   "speak for the thinned data: read them with the prior corrected.",
)  # fmt: skip
