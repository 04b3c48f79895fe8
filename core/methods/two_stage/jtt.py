r"""JTT, just train twice: train briefly, then train anew with the mistakes of the first model weighted up.

    stage 1: ERM for first x iterations;  stage 2: w_i = c (lam if argmax f_1(x_i) != y_i else 1), from fresh weights

first: `first`, share of the iterations for stage one; lam: `lam`; c makes the mean weight 1, data weights included
(departure: the authors duplicate rows instead, which also changes the length of an epoch; with iterations matched the
two agree in expectation). lam = 1 is ERM from fresh weights for the remaining iterations.
Reference: Liu et al., Just train twice: improving group robustness without training group information, ICML 2021.

>>> import numpy as np
>>> upweighted(np.array([True, False, False, False]), 5.0, np.ones(4)).weight.round(3).tolist()
[2.5, 0.5, 0.5, 0.5]
"""

from __future__ import annotations

import numpy as np

from core.methods._cells import data_weights, row_weights
from core.methods.two_stage._first import FIRST
from core.types import Method, Param, Rows, Stage, Task


def upweighted(wrong: np.ndarray, lam: float, w: np.ndarray) -> Rows:
    """(M,) mistakes of stage one, data weights -> rows with weight lam (mistakes) or 1, scaled to mean 1."""
    return row_weights(np.where(wrong, lam, 1.0), w)


def between(task: Task, scores: np.ndarray, hp, rng) -> Stage:
    """All training rows again, mistakes upweighted, from fresh weights."""
    rows = task.splits.train
    wrong = scores[rows].argmax(-1) != task.y[rows]
    return Stage(upweighted(wrong, hp["lam"], data_weights(task)), fresh="all")


METHOD = Method(
    name="jtt",
    title="JTT (just train twice)",
    family="two_stage",
    summary="Trains a first model, then a second one that looks harder at what the first got wrong.",
    source="Liu et al. 2021, Just train twice (ICML)",
    equation="w_i ∝ λ if stage one errs on i, else 1",
    params=(
        FIRST,
        Param("lam", 10.0, 1.0, 320.0, log=True, stage="between", symbol="λ", title="Weight of mistakes",
              help="How many times more a mistake of stage one counts in stage two. 1 to 300; usual 5 to 100."),
    ),
    papers=(42,),
    between=between,
    known_failures="Mistakes are a stand-in for small groups: where the first model errs because labels are wrong, the "
                   "wrong labels are weighted up. It needs validation groups to choose λ well.",
)  # fmt: skip
