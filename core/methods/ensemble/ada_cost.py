r"""AdaCost: boosting that raises the weight of a wrong row the more, the rarer its class is than the one named.

    d <- d exp(a C[pred, true] wrong),   C[pred, true] ~ (n_pred / n_true)^s, the largest is 1

a: the vote of a member, as in AdaBoost; n: summed data weights of the classes; s: `strength`; T: `n_members`; `depth`
of the trees. Strength 0 is AdaBoost. This is the published package's rule, which there has no effect, since the loop
that it overrides is not called. Departures: costs are scaled to at most 1, as Fan's are (unscaled, one missed row in
twenty outweighs all others after one round); Fan's rule also lowers costly rows that are right less; the default
strength is 0.05, since costs act in every round and at 1 everybody is named the rare class. A member with error 1 - 1/K
or more ends it: nothing is drawn, so another try would be the same. Probabilities come from the weighted mean vote. T =
50 as in the published comparison.
Reference: Fan, Stolfo, Zhang, Chan, AdaCost, ICML 1999; Liu et al., IMBENS, 2021.

>>> costs(np.array([90.0, 10.0]), 1.0)[0].round(2).tolist()
[0.11, 1.0]
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._boosting import Changes, boost
from core.methods.ensemble._members import MEMBERS, STUMP, data_of
from core.types import Method, Param, Rows, Task


def costs(mass: np.ndarray, strength: float) -> np.ndarray:
    """(C, C) cost of naming class [row] where class [column] is true, the largest 1; 1 where either has no rows."""
    n = np.where(mass > 0, mass, 1.0)
    both = (mass[:, None] > 0) & (mass[None] > 0)
    cost = np.where(both, (n[:, None] / n[None]) ** strength, 0.0)
    return np.where(both, cost / cost.max(), 1.0)


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows)
    cost = costs(data.mass, hp["strength"])
    changes = Changes(exponent=lambda pred: cost[pred, data.y])
    return boost(data, hp["n_members"], hp["depth"], np.random.default_rng(seed), changes)


METHOD = Method(
    name="ada_cost",
    title="AdaCost",
    family="ensemble",
    summary="Boosting in which a missed row of a rare class gains more weight than a false alarm.",
    source="Fan, Stolfo, Zhang, Chan 1999, AdaCost (ICML); Liu et al. 2021, IMBENS",
    equation="d ← d exp(a C[pred, true] wrong), C ∝ (n_pred / n_true)^s",
    params=(
        MEMBERS,
        Param("strength", 0.05, 0.0, 2.0, title="Strength of the costs",
              help="Costs are ratios of class sizes to this power. 0 is AdaBoost; usual 0.01 to 0.1."),
        STUMP,
    ),
    papers=(40, 64),
    limits=(({"strength": 0.0}, "ada_uboost", {"strength": 0.0}),),
    fit=fit,
    known_failures="Costs act again in every round: with more members, or more than two classes, a strength of 0.1 can "
                   "already hide the largest class. With two classes scores stay between 0.12 and 0.88.",
)  # fmt: skip
