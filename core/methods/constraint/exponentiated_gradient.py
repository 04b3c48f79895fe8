r"""Exponentiated gradient: a mix of weighted classifiers that keeps a bound on the gap, found as a game.

    min over mixes Q of  err(Q)   s.t.  |E_Q[h | a] - E_Q[h]| <= eps  (the same for errors, with criterion "odds")

eps: `eps` (slack); `criterion`: "parity" or "odds"; `rounds`: at most; C: `C`, inverse strength of the penalty of the
logistic regressions that are mixed. By Fairlearn's ExponentiatedGradient. The score is the weight of the classifiers in
the mix that say yes: deciding at 0.5 by it is one rule, deciding at random by it is the paper's randomised one, and the
guarantee is about the latter. Runs are fitted one after another; all seeds agree.
Reference: Agarwal, Beygelzimer, Dudik, Langford, Wallach, A reductions approach to fair classification, ICML 2018.

>>> METHOD.stacked
False
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

from core.methods.constraint._reductions import CRITERION, constraint, training
from core.types import Method, Param, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit the mix; predict gives the weight of its classifiers that say yes."""
    from fairlearn.reductions import ExponentiatedGradient

    x, y, attr = training(task, rows)
    game = ExponentiatedGradient(LogisticRegression(C=hp["C"], max_iter=200), constraint(hp["criterion"], hp["eps"]),
                                 eps=hp["eps"], max_iter=hp["rounds"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game.fit(x, y, sensitive_features=attr)
    weights, models = game.weights_, game.predictors_

    def predict(new: np.ndarray) -> np.ndarray:
        share = sum(weights[t] * np.asarray(models[t].predict(new), dtype=np.float64)
                    for t in weights.index if weights[t] > 0)
        share = np.clip(share * np.ones(len(new)), 0, 1)
        return np.stack([1 - share, share], axis=-1)

    return predict


METHOD = Method(
    name="exponentiated_gradient",
    title="Exponentiated gradient",
    family="constraint",
    summary="Mixes weighted classifiers so that on average the groups' rates stay within a bound.",
    source="Agarwal et al. 2018, A reductions approach to fair classification (ICML); Fairlearn",
    equation="min err(Q) s.t. |E_Q[h | a] − E_Q[h]| ≤ ε",
    params=(
        Param("eps", 0.01, 1e-4, 0.5, log=True, symbol="ε", title="Slack of the constraint",
              help="How far a group may be from everybody, on training rows. Usual 0.005 to 0.1."),
        CRITERION,
        Param("C", 1.0, 1e-3, 1e3, log=True, symbol="C", title="Freedom of the weights",
              help="Of the logistic regressions that are mixed."),
        Param("rounds", 20, 2, 100, title="Rounds at most",
              help="More rounds come closer to the bound and take longer."),
    ),
    needs=frozenset({"attr_train", "binary"}),
    fit=fit,
    known_failures="The bound is about a randomised decision on training rows: at a threshold, and on new rows, the "
                   "gap can be larger. Scores are few steps: thresholds move in jumps. Data weights are drawn as rows.",
)  # fmt: skip
