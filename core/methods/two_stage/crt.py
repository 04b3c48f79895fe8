r"""cRT, classifier re-training: keep the features of a plainly trained model, learn a new last layer on balanced rows.

    stage 1: ERM;  stage 2: min over a fresh head of  mean CE  over training rows, all groups counting the same

first: `first`, share of the iterations for stage one; `form`: "resample" draws every group alike (cRT), "reweight"
weights rows by the inverse size of their group instead (ReWeightCRT), "plain" takes the rows as they are (VanillaCRT,
for comparison); `by`: groups are subgroups (class x attribute group) or classes alone, as in the paper.
Departures: the head has no weight decay in stage two, and stage one is part of the same run instead of a stored model.
Unlike DFR it uses training rows, so no validation row is given up.
Reference: Kang et al., Decoupling representation and classifier for long-tailed recognition, ICLR 2020; the forms as
in Yang et al., Change is hard, ICML 2023.

>>> METHOD.param("form").choices, sorted(METHOD.needs)
(('resample', 'reweight', 'plain'), ['attr_train'])
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.methods._cells import BY_PARAM, balanced_draw, cells_of, data_weights, power_weights
from core.methods.two_stage._first import FIRST
from core.types import Method, Param, Rows, Stage, Task


def balanced(task: Task, form: str, by: str) -> Rows:
    """The training rows with probabilities or weights that make all cells count the same; as they are if plain."""
    cells, w = cells_of(task, by), data_weights(task)
    if form == "plain":
        return Rows()
    if form == "reweight":
        return power_weights(cells, 1.0, w)
    prob, weight = balanced_draw(cells, w)
    return Rows(prob=prob, weight=weight)


def between(task: Task, scores: np.ndarray, hp, rng) -> Stage:
    """A fresh head on the frozen features, from balanced training rows."""
    return Stage(balanced(task, hp["form"], hp["by"]), fresh="head", train="head")


METHOD = Method(
    name="crt",
    title="cRT (re-train the classifier)",
    family="two_stage",
    summary="Learns features from all rows as they are, then a new last layer for which every group counts the same.",
    source="Kang et al. 2020, Decoupling representation and classifier (ICLR); CRT, ReWeightCRT and VanillaCRT of "
           "Yang et al. 2023, Change is hard (ICML)",
    equation="features: ERM;  head: min CE on balanced training rows",
    params=(
        FIRST,
        Param("form", "resample", choices=("resample", "reweight", "plain"), stage="between", title="Balance by",
              help="resample: every group is drawn equally often; reweight: rows of small groups weigh more; plain: "
                   "no balance, the same training with a fresh head, for comparison."),
        replace(BY_PARAM, stage="between"),
    ),
    papers=(42,),
    needs=frozenset({"attr_train"}),
    between=between,
    known_failures="The features have seen the training rows: where they fit them all by heart, a balanced head has "
                   "little left to change. It cannot repair features that were never learned.",
)  # fmt: skip
