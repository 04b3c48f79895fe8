r"""SqrtReWeight: weights by the inverse square root of the group size, half way between ERM and ReWeight.

    w_i = c / sqrt(n_g(i)),  c such that the mean weight over the rows is 1

`by` and n_g as in ReWeight. Departure: normalised over rows, not over groups (see ReWeight).
Reference: Mahajan et al. 2018; as SqrtReWeight in Yang et al., Change is hard, ICML 2023.

>>> import numpy as np
>>> weights = power_weights(np.repeat([0, 1], [90, 10]), 0.5, np.ones(100)).weight
>>> round(float(weights[-1] / weights[0]), 4), round(float(weights.mean()), 4)
(3.0, 1.0)
"""

from __future__ import annotations

from core.methods._cells import BY_PARAM, cells_of, data_weights, power_weights
from core.types import Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """Weights 1 / sqrt(n) of the row's cell, mean 1."""
    return power_weights(cells_of(task, hp["by"]), 0.5, data_weights(task))


METHOD = Method(
    name="sqrt_reweight",
    title="SqrtReWeight",
    family="reweight",
    summary="A milder ReWeight: small groups get more weight, but do not count as much as large ones.",
    source="Mahajan et al. 2018; SqrtReWeight of Yang et al. 2023, Change is hard (ICML)",
    equation="w_i ∝ 1 / √n_g(i), mean 1",
    params=(BY_PARAM,),
    papers=(42,),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="As ReWeight, weaker: long training with weak weight decay undoes it.",
)
