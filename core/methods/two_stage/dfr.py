r"""DFR, deep feature reweighting: keep the features of a trained model, refit its last layer on balanced held-out rows.

    stage 1: ERM;  stage 2: min over the head of  (1/B) sum CE + lam ||W||_1,  batches with equal shares of all groups

first: `first`, share of the iterations for stage one; lam: `lam` (the bias is not penalised, no weight decay in stage
two); groups are subgroups of the *validation* rows, data weights scaled to mean 1 within each.
Departures: the authors average liblinear fits over ten balanced subsets; we draw every batch balanced anew, which
averages over subsets along the way (the SGD form of SubpopBench). It fits on one half of the validation rows and
is measured on the other half; features are standardised with the statistics of the fitted half.
Reference: Kirichenko, Izmailov, Wilson, Last layer re-training is sufficient for robustness to spurious correlations,
ICLR 2023.

>>> sorted(METHOD.needs)
['attr_val', 'fit_val']
"""

from __future__ import annotations

import numpy as np

from core.methods._cells import balanced_draw
from core.methods.two_stage._first import FIRST
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param, Rows, Stage, Task


def between(task: Task, scores: np.ndarray, hp, rng) -> Stage:
    """The fitting half of the validation rows, every observed subgroup with the same probability."""
    rows = task.val_fit
    prob, weight = balanced_draw(task.subgroup[rows], task.w[rows].astype(float))
    return Stage(Rows(index=rows, prob=prob, weight=weight), fresh="head", train="head", standardise=True)


def loss(net, weights, state, batch, hp):
    """Cross-entropy with an L1 penalty on the head (stage one ignores it: there the loss is ERM's)."""
    fit = weighted_mean(cross_entropy(logits(net, weights, batch.x), batch.t), batch.w)
    return fit + hp["lam"] * weights["head.w"].abs().sum(), state


METHOD = Method(
    name="dfr",
    title="DFR (refit the last layer)",
    family="two_stage",
    summary="Keeps what a plain model has learned to see and refits only its last layer on balanced held-out rows.",
    source="Kirichenko, Izmailov, Wilson 2023, Last layer re-training is sufficient (ICLR)",
    equation="head: min CE + λ‖W‖₁ on group-balanced validation rows",
    params=(
        FIRST,
        Param("lam", 0.1, 0.0, 10.0, log=True, symbol="λ", title="Sparsity of the head",
              help="How strongly the weights of the last layer are pulled to zero. Published search 0.01 to 3; from "
                   "about 0.5 on only a constant prediction is left."),
    ),
    papers=(42,),
    needs=frozenset({"attr_val", "fit_val"}),
    between=between,
    loss=loss,
    known_failures="It cannot repair features that were never learned, and a group with a handful of validation rows "
                   "is repeated until it is known by heart.",
)  # fmt: skip
