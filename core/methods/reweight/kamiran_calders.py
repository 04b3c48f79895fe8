r"""Reweighing of Kamiran and Calders: weights under which class and attribute group are independent.

    w(y, a) = P(y) P(a) / P(y, a)

y: class; a: attribute group; P: shares of the training rows, or of their data weights where there are any, w then
multiplying the data weight and the product having mean 1. No settings. The weighted shares of classes and of groups
stay as they are, so that, unlike ReWeight, a rare class stays rare. A cell without rows gets no weight: independence
then holds only approximately.
Reference: Kamiran, Calders, Data preprocessing techniques for classification without discrimination, Knowledge and
Information Systems 2012.

>>> import numpy as np
>>> y, a = np.repeat([1, 0, 1, 0], [4, 1, 2, 3]), np.repeat([0, 1], 5)
>>> independent(y, a, np.ones(10))[[0, 4, 5, 7]].round(3).tolist()
[0.75, 2.0, 1.5, 0.667]
"""

from __future__ import annotations

import numpy as np

from core.methods._cells import data_weights, row_weights
from core.types import Method, Rows, Task


def independent(y: np.ndarray, attr: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(M,) P(y) P(a) / P(y, a) of each row, from classes, groups and data weights (M,)."""
    both = np.zeros((y.max() + 1, attr.max() + 1))
    np.add.at(both, (y, attr), w)
    return both.sum(1)[y] * both.sum(0)[attr] / (both.sum() * both[y, attr])


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows with weights that make class and group independent, mean 1."""
    rows, w = task.splits.train, data_weights(task)
    return row_weights(independent(task.y[rows], task.attr[rows], w), w)


METHOD = Method(
    name="kamiran_calders",
    title="Reweighing (Kamiran and Calders)",
    family="reweight",
    summary="Weights rows so that every group has the same share of each class, as if the label ignored the group.",
    source="Kamiran, Calders 2012, Data preprocessing techniques for classification without discrimination (KAIS)",
    equation="w(y, a) = P(y) P(a) / P(y, a)",
    papers=(42,),
    needs=frozenset({"attr_train"}),
    prepare=prepare,
    known_failures="It evens out rates of selection, not of errors, and treats every true difference between groups as "
    "if it were none. A network that fits every training row is hardly moved by weights.",
)
