r"""Gradient boosting by scikit-learn (histogram trees), rows weighted by class or group: the strong tabular baseline.

    F_t = F_{t-1} + eta h_t,   h_t fitted to the gradient of the weighted cross-entropy

eta: `learning_rate`; t runs to `trees`, each tree has at most `leaves` leaves; `balance` as for class-weighted logistic
regression. Every seed fits a random 90 % of the features at each split (with fewer than ten features all are taken,
and seeds agree). Runs are fitted one after another; the budget's iterations do not apply.
Reference: Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 2001;
scikit-learn's HistGradientBoostingClassifier.

>>> METHOD.param("trees").default
100
"""

from __future__ import annotations

from sklearn.ensemble import HistGradientBoostingClassifier

from core.methods.ensemble._balance import BALANCE, balanced
from core.types import Method, Param, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return predict_proba."""
    model = HistGradientBoostingClassifier(
        learning_rate=hp["learning_rate"], max_iter=hp["trees"], max_leaf_nodes=hp["leaves"], max_features=0.9,
        early_stopping=False, random_state=seed,
    )  # fmt: skip
    model.fit(task.x[rows.index], task.y[rows.index], balanced(task, rows, hp["balance"]))
    return model.predict_proba


METHOD = Method(
    name="gradient_boosting",
    title="Gradient boosting",
    family="ensemble",
    summary="Hundreds of small trees, each mending the errors of those before: usually the most accurate on tables.",
    source="Friedman 2001; scikit-learn HistGradientBoostingClassifier",
    equation="F ← F + η h, h fits the weighted gradient",
    params=(
        Param("learning_rate", 0.1, 0.001, 1.0, log=True, symbol="η", title="Learning rate",
              help="How much each tree may change. Smaller needs more trees. Usual 0.02 to 0.3."),
        Param("trees", 100, 1, 2000, log=True, static=True, title="Trees", help="How many trees. Usual 50 to 500."),
        Param("leaves", 31, 2, 255, log=True, static=True, title="Leaves", help="Leaves of each tree. Usual 7 to 63."),
        BALANCE,
    ),
    papers=(31,),
    needs=frozenset({"attr_train"}),
    fit=fit,
    known_failures="Balanced weights make its probabilities speak for a balanced world. No gradients: it cannot be "
                   "combined with the other methods here.",
)  # fmt: skip
