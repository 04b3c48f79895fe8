r"""SMOTEBoost: boosting whose every member sees rare cells filled up with new points between neighbours.

    x_new = x + u (x' - x);   a = ln((1 - e) / e) + ln(K - 1),   d <- d exp(a wrong)

    n_t(g) = n_g + s_t (max n - n_g)

u: uniform in 0..1; x': one of the `k` nearest rows of the same cell; e: error under the weights d; T: `n_members`;
`depth` of the trees; K: classes; cells are classes or groups: `by`. s_t is `amount` in every round (`schedule` uniform)
or grows from 0 to `amount` (progressive). New points are drawn anew in every round, forgotten after it, and have the
weight d of the row they start from. A cell of m rows uses at most m - 1 neighbours; a single row is repeated. e is
taken on all rows or on the sample: `judge`; the published package takes it on new points that it makes once and keeps.
A member with error 1 - 1/K or more has no say, and the weights start again. Amount 0 or balanced data is AdaBoost. Data
weights start d. Probabilities come from the weighted mean vote. Departure: SAMME where the paper has AdaBoost.M2.
k = 5 is the paper's; T = 50 as in the published comparison.
Reference: Chawla, Lazarevic, Hall, Bowyer, SMOTEBoost, PKDD 2003.

>>> METHOD.param("k").default
5
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._boosting import Changes, boost
from core.methods.ensemble._draws import changes_nothing, synthetic_picker
from core.methods.ensemble._members import AMOUNT, BY, JUDGE, MEMBERS, NEIGHBOURS, SCHEDULE, STUMP, data_of
from core.types import Method, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows, hp["by"])
    plain = changes_nothing(data, hp["amount"])
    pick = None if plain else synthetic_picker(data, hp, hp["n_members"], replace=False)
    return boost(data, hp["n_members"], hp["depth"], np.random.default_rng(seed), Changes(pick=pick, judge=hp["judge"]))


METHOD = Method(
    name="smote_boost",
    title="SMOTEBoost",
    family="ensemble",
    summary="Boosting whose every member sees other invented rows of the rare class.",
    source="Chawla, Lazarevic, Hall, Bowyer 2003, SMOTEBoost (PKDD)",
    equation="x_new = x + u (x′ − x) in every round; d ← d exp(a·wrong)",
    params=(MEMBERS, NEIGHBOURS, AMOUNT, SCHEDULE, JUDGE, STUMP, BY),
    papers=(26, 40, 64),
    needs=frozenset({"attr_train"}),
    fit=fit,
    known_failures="New rows between two clusters lie where nobody is. Half a category is no category. Members learn a "
                   "balanced world but are judged on the real one, and many may be dropped. With two classes scores "
                   "stay between 0.12 and 0.88.",
)  # fmt: skip
