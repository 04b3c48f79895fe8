r"""AdaUBoost: boosting that starts with more weight on rare cells and lets their weights grow more slowly in return.

    d_1 ~ w b_c,   d <- d exp(a b_c^(-1/T) wrong),   b_c = (n_max / n_c)^s

a: the vote of a member, as in AdaBoost; w: data weights, n: their sums; s: `strength`; T: `n_members`; `depth` of the
trees; cells c are classes or groups: `by`. Strength 0 is AdaBoost. A member with error 1 - 1/K or more ends it. The
published package keeps the start alone, since the loop that it overrides is not called. Probabilities come from the
weighted mean vote. Default T = 50 as in the published comparison.
Reference: Karakoulas, Shawe-Taylor, Optimizing classifiers for imbalanced training sets, NIPS 1998; IMBENS 2021.

>>> METHOD.param("strength").default
1.0
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._boosting import Changes, boost, rarity
from core.methods.ensemble._members import BY, MEMBERS, STRENGTH, STUMP, data_of
from core.types import Method, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows, hp["by"])
    b = rarity(data.mass, hp["strength"])[data.cell]
    slower = b ** (-1.0 / hp["n_members"])
    changes = Changes(start=b, exponent=lambda pred: slower)
    return boost(data, hp["n_members"], hp["depth"], np.random.default_rng(seed), changes)


METHOD = Method(
    name="ada_uboost",
    title="AdaUBoost",
    family="ensemble",
    summary="Boosting that starts with as much weight on a rare class as on the others.",
    source="Karakoulas, Shawe-Taylor 1998 (NIPS); Liu et al. 2021, IMBENS",
    equation="d₁ ∝ b_c, d ← d exp(a b_c^(−1/T) wrong), b_c = n_max / n_c",
    params=(MEMBERS, STRENGTH, STUMP, BY),
    papers=(40, 64),
    needs=frozenset({"attr_train"}),
    limits=(({"strength": 0.0}, "asym_boost", {"strength": 0.0}),),
    fit=fit,
    known_failures="It moves the decisions more than the ranking: recall of the rare class is paid for with false "
                   "alarms. With two classes scores stay between 0.12 and 0.88.",
)  # fmt: skip
