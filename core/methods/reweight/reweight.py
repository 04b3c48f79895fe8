r"""ReWeight: every row weighs as much as the inverse size of its group, so all groups weigh the same together.

    w_i = c / n_g(i),  c such that the mean weight over the rows is 1

g is the subgroup (class x attribute group), or the class alone with `by`; n_g its training rows, or the sum of their
data weights, w_i then multiplying the data weight and the product having mean 1. No other setting.
Departure: SubpopBench normalises over groups, which shrinks the mean weight (0.36 at sizes 90 and 10) and with it the
learning rate; we normalise over rows, so that the rate and weight decay mean what they mean elsewhere.
Reference: Japkowicz 2000; as ReWeight in Yang et al., Change is hard, ICML 2023.

>>> import numpy as np
>>> weights = power_weights(np.repeat([0, 1], [90, 10]), 1.0, np.ones(100)).weight
>>> [round(float(w), 4) for w in (weights[0], weights[-1], weights.mean())]
[0.5556, 5.0, 1.0]
"""

from __future__ import annotations

from core.methods._cells import BY_PARAM, cells_of, data_weights, power_weights
from core.types import Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """Weights 1 / n of the row's cell, mean 1."""
    return power_weights(cells_of(task, hp["by"]), 1.0, data_weights(task))


METHOD = Method(
    name="reweight",
    title="ReWeight",
    family="reweight",
    summary="Gives rows of small groups more weight in the loss, so that every group counts the same.",
    source="Japkowicz 2000; ReWeight of Yang et al. 2023, Change is hard (ICML)",
    equation="w_i ∝ 1 / n_g(i), mean 1",
    params=(BY_PARAM,),
    papers=(42,),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="A network that fits every training row is hardly moved by weights: the effect fades with long "
    "training and weak weight decay, while that of subsampling does not. A very small group gets very large weights.",
)
