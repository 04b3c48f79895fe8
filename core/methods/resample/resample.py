r"""ReSample: batches are drawn with replacement so that every group has the same share of them in expectation.

    P(draw i) = 1 / (G n_g(i)),  G groups that have training rows

`by`: subgroup (class x attribute group) or class. The number of iterations is the budget's, as for every method. Data
weights are kept within a group and scaled to mean 1 in each, so that equal shares of a batch also count the same.
Reference: Japkowicz 2000; as ReSample in Yang et al., Change is hard, ICML 2023; RWG/RWY samplers of Idrissi et al.,
Simple data balancing achieves competitive worst-group accuracy, CLeaR 2022.

>>> import numpy as np
>>> prob, weight = balanced_draw(np.repeat([0, 1], [90, 10]), np.ones(100))
>>> round(float(prob[:90].sum()), 4), round(float(prob[90:].sum()), 4)
(0.5, 0.5)
"""

from __future__ import annotations

from core.methods._cells import BY_PARAM, balanced_draw, cells_of, data_weights
from core.types import Method, Rows, Task


def prepare(task: Task, hp, rng) -> Rows:
    """Sampling probabilities over the training rows, data weights levelled between cells."""
    prob, weight = balanced_draw(cells_of(task, hp["by"]), data_weights(task))
    return Rows(prob=prob, weight=weight)


METHOD = Method(
    name="resample",
    title="ReSample",
    family="resample",
    summary="Shows the model rows of small groups more often, so that every batch is balanced.",
    source="Japkowicz 2000; ReSample of Yang et al. 2023 (ICML); Idrissi et al. 2022 (CLeaR)",
    equation="P(i) = 1 / (G n_g(i))",
    params=(BY_PARAM,),
    papers=(42,),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="Rows of a very small group are seen again and again, and may be learned by heart.",
)
