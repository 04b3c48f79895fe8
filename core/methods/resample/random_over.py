r"""Random oversampling: rows of small classes (or groups) are repeated, drawn with replacement, until sizes are alike.

    n_g' = max(n_g, r max n),   a repeated row is x_i, or x_i + h s_g e with e ~ N(0, 1)

r: `ratio`; `by`: class or group; h: `shrinkage`, the width of the noise that tells repeats apart (smoothed bootstrap,
ROSE), 0 for exact repeats; s_g: the bandwidth by Silverman's rule for each feature, from the standard deviation in the
cell. By imbalanced-learn's RandomOverSampler. Rows are counted, each repeat keeps the data weight of its row, all are
scaled to mean 1. With ratio 0 this is plain training.
Reference: Batista, Prati, Monard, A study of the behavior of several methods for balancing machine learning training
data, 2004; Menardi, Torelli, Training and assessing classification rules with imbalanced data, 2014.

>>> METHOD.family, METHOD.param("shrinkage").default
('resample', 0.0)
"""

from __future__ import annotations

import numpy as np

from core.methods.resample._imblearn import BY, FILL, as_rows, cells_for, filled, run, seed_from
from core.types import Method, Param, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """All training rows, and as many repeats of small cells as are missing."""
    from imblearn.over_sampling import RandomOverSampler

    cells, width = cells_for(task, hp["by"], METHOD.title), hp["shrinkage"]
    wanted = filled(cells, hp["ratio"])
    if not wanted:
        return Rows()
    sampler = RandomOverSampler(sampling_strategy=wanted, shrinkage=width or None, random_state=seed_from(rng))
    made = run(cells, sampler)
    assert made is not None
    drawn, old = sampler.sample_indices_, len(cells.code)
    if not width:
        return as_rows(task, cells, drawn)
    return as_rows(task, cells, np.arange(old), made[0][old:], made[1][old:], drawn[old:])


METHOD = Method(
    name="random_over",
    title="Random oversampling",
    family="resample",
    summary="Repeats rows of small classes or groups until they are as many as those of the largest.",
    source="Batista, Prati, Monard 2004; Menardi, Torelli 2014 (noise); imbalanced-learn",
    equation="n_g′ = max(n_g, r · max n)",
    params=(
        FILL,
        Param("shrinkage", 0.0, 0.0, 10.0, stage="prepare", symbol="h", title="Noise on repeats",
              help="0 repeats rows exactly; 1 spreads them as a kernel density estimate does; more blurs the cell."),
        BY,
    ),
    papers=(35,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="A few rows seen again and again are learned by heart. Probabilities speak for a balanced world. "
                   "Noise gives categories values that do not exist.",
)  # fmt: skip
