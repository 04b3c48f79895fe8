r"""Grid search of reductions: many weighted logistic regressions, of which the best trade-off is kept.

    for multipliers l on a grid:  h_l = argmin err(h) + l . gap(h);    keep  argmin (1 - balance) err + balance gap

`criterion`: "parity" or "odds"; `points`: size of the grid; `balance`: how much the gap counts beside the error when
one is chosen, on training rows; C: `C`. By Fairlearn's GridSearch. Unlike the mix of exponentiated gradient it is one
classifier with proper probabilities. Runs are fitted one after another; all seeds agree.
Reference: Agarwal, Beygelzimer, Dudik, Langford, Wallach, A reductions approach to fair classification, ICML 2018.

>>> METHOD.stacked
False
"""

from __future__ import annotations

import warnings

from sklearn.linear_model import LogisticRegression

from core.methods.constraint._reductions import CRITERION, constraint, training
from core.types import BadInput, Method, Param, Rows, Task

MOST_GROUPS = 4


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit the grid and return the chosen classifier's probabilities."""
    from fairlearn.reductions import GridSearch

    x, y, attr = training(task, rows)
    if len(set(attr.tolist())) > MOST_GROUPS:
        raise BadInput("Groups", f"{len(set(attr.tolist()))} of them", f"at most {MOST_GROUPS} for a grid",
                       "merge groups, or use exponentiated gradient")
    grid = GridSearch(LogisticRegression(C=hp["C"], max_iter=200), constraint(hp["criterion"], 0.0),
                      constraint_weight=hp["balance"], grid_size=hp["points"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grid.fit(x, y, sensitive_features=attr)
    return grid.predictors_[grid.best_idx_].predict_proba


METHOD = Method(
    name="grid_search",
    title="Grid of reductions",
    family="constraint",
    summary="Tries a grid of group-dependent weights and keeps the classifier with the best trade-off.",
    source="Agarwal et al. 2018, A reductions approach to fair classification (ICML); Fairlearn",
    equation="min (1 − β) err(h_λ) + β gap(h_λ) over λ on a grid",
    params=(
        Param("balance", 0.5, 0.0, 1.0, symbol="β", title="Weight of the gap",
              help="0 keeps the most accurate of the grid, 1 the one with the smallest gap."),
        CRITERION,
        Param("points", 15, 3, 200, title="Points of the grid", help="Each is one logistic regression."),
        Param("C", 1.0, 1e-3, 1e3, log=True, symbol="C", title="Freedom of the weights",
              help="Of the logistic regressions."),
    ),
    needs=frozenset({"attr_train", "binary"}),
    fit=fit,
    known_failures="The grid grows with every group: beyond four it is refused. The choice is made on training rows. "
                   "Data weights are drawn as rows.",
)  # fmt: skip
