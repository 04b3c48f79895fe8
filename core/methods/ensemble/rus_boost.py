r"""RUSBoost: boosting whose every member learns from a balanced part, large cells thinned at random.

    a = ln((1 - e) / e) + ln(K - 1),   d <- d exp(a wrong);   e: error under the weights d

    n_t(g) = n_g + s_t (min n - n_g)

T: `n_members`; `depth` of the trees; K: classes; cells are classes or groups: `by`. s_t is `amount` in every round
(`schedule` uniform) or grows from 0 to `amount` (progressive). A drawn row keeps its weight d. e is taken on all rows
or on the sample: `judge`. A member with error 1 - 1/K or more has no say, and the weights start again: a negative vote
would turn the ensemble upside down, and stopping there would leave one or two members. Amount 0 or balanced data is
AdaBoost. Data weights start d. Probabilities come from the weighted mean vote. Default T = 50 as in the published
comparison.
Reference: Seiffert, Khoshgoftaar, Van Hulse, Napolitano, RUSBoost, IEEE SMC-A 2010.

>>> METHOD.param("amount").default
1.0
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._boosting import Changes, boost
from core.methods.ensemble._draws import changes_nothing, picker
from core.methods.ensemble._members import AMOUNT, BY, JUDGE, MEMBERS, SCHEDULE, STUMP, data_of
from core.types import Method, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows, hp["by"])
    plain = changes_nothing(data, hp["amount"])
    pick = None if plain else picker(data, "under", hp, hp["n_members"], replace=False)
    return boost(data, hp["n_members"], hp["depth"], np.random.default_rng(seed), Changes(pick=pick, judge=hp["judge"]))


METHOD = Method(
    name="rus_boost",
    title="RUSBoost",
    family="ensemble",
    summary="Boosting whose every member sees a balanced part of the data, with rows of large classes left out.",
    source="Seiffert, Khoshgoftaar, Van Hulse, Napolitano 2010, RUSBoost",
    equation="under-sample, then d ← d exp(a·wrong), a = ln((1−e)/e) + ln(K−1)",
    params=(MEMBERS, AMOUNT, SCHEDULE, JUDGE, STUMP, BY),
    papers=(40, 64),
    needs=frozenset({"attr_train"}),
    limits=(({"amount": 0.0}, "over_boost", {"amount": 0.0}),),
    fit=fit,
    known_failures="Members learn a balanced world but are judged on the real one: under strong imbalance many are no "
                   "better than guessing and are dropped; judge them on their sample then. With two classes scores "
                   "stay between 0.12 and 0.88.",
)  # fmt: skip
