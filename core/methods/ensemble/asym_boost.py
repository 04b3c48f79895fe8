r"""AsymBoost: boosting that tilts the weights a little towards rare cells in every round, so that no round forgets it.

    d <- d exp(a wrong) b_c^(1/T),   b_c = (n_max / n_c)^s

a: the vote of a member, as in AdaBoost; n: summed data weights; s: `strength`; T: `n_members`; `depth` of the trees;
cells c are classes or groups: `by`. With two classes only the ratio of the factors matters, and it is that of the
paper: the cost to the power 1/(2T) for the rare class, its inverse for the other. The tilt comes before each member,
the first included, and for every row, as in the paper; the published package would tilt wrong rows alone. Strength 0 is
AdaBoost. A member with error 1 - 1/K or more ends it. Probabilities come from the weighted mean vote. Default T = 50 as
in the published comparison.
Reference: Viola, Jones, Fast and robust classification using asymmetric AdaBoost, NIPS 2001; IMBENS 2021.

>>> METHOD.param("n_members").default
50
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._boosting import Changes, boost, rarity
from core.methods.ensemble._members import BY, MEMBERS, STRENGTH, STUMP, data_of
from core.types import Method, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows, hp["by"])
    tilt = rarity(data.mass, hp["strength"])[data.cell] ** (1.0 / hp["n_members"])
    changes = Changes(start=tilt, tilt=np.log(tilt))
    return boost(data, hp["n_members"], hp["depth"], np.random.default_rng(seed), changes)


METHOD = Method(
    name="asym_boost",
    title="AsymBoost",
    family="ensemble",
    summary="Boosting that gives rare classes a little more weight in every round.",
    source="Viola, Jones 2001, Fast and robust classification using asymmetric AdaBoost (NIPS)",
    equation="d ← d exp(a·wrong) b_c^(1/T), b_c = n_max / n_c",
    params=(MEMBERS, STRENGTH, STUMP, BY),
    papers=(40, 64),
    needs=frozenset({"attr_train"}),
    fit=fit,
    known_failures="It moves the decisions more than the ranking: recall of the rare class is paid for with false "
                   "alarms. With two classes scores stay between 0.12 and 0.88.",
)  # fmt: skip
