r"""Class-weighted logistic regression by scikit-learn: the common baseline, fitted to its optimum.

    min (1/2) ||w||^2 + C sum_i c(y_i) w_i l_i,   c(y) = N / (classes x n_y) with `balance` = class

C: `C`, inverse strength of the L2 penalty; `balance`: class, group (subgroups) or none; n_y: summed data weights of
class y, N their total. Solver lbfgs. Runs are fitted
one after another; iterations, batch size and optimiser of the budget do not apply.
Reference: King and Zeng, Logistic regression in rare events data, 2001; scikit-learn's LogisticRegression.

>>> METHOD.stacked
False
"""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression

from core.methods.ensemble._balance import BALANCE, balanced
from core.types import Method, Param, Rows, Task


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return predict_proba. It has no randomness: all seeds agree."""
    model = LogisticRegression(C=hp["C"], max_iter=500)
    model.fit(task.x[rows.index], task.y[rows.index], balanced(task, rows, hp["balance"]))
    return model.predict_proba


METHOD = Method(
    name="class_weighted_logistic",
    title="Class-weighted logistic regression",
    family="ensemble",
    summary="The standard linear baseline of scikit-learn, with rare classes or groups weighted up.",
    source="King and Zeng 2001; scikit-learn LogisticRegression",
    equation="min ½‖w‖² + C Σ c(y_i) l_i",
    params=(
        Param("C", 1.0, 1e-4, 1e4, log=True, symbol="C", title="Freedom of the weights",
              help="Small values keep the weights small. Usual 0.01 to 100."),
        BALANCE,
    ),
    papers=(31,),
    needs=frozenset({"attr_train"}),
    fit=fit,
    known_failures="Balanced weights trade accuracy for recall, and its probabilities speak for the balanced world. "
                   "Its seeds do not differ: an interval over seeds has no width.",
)  # fmt: skip
