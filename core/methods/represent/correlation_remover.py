r"""Correlation remover: features are changed as little as possible so that none goes with the group, then a logistic
regression is fitted.

    x' = x - alpha (s_hat - m) G B,   G = (S_hat' S)^-1, B = S' X   (centred, over training rows)

s: the attribute groups as zeros and ones, m their means; s_hat: their least-squares fit by x; alpha: `alpha`, 1 removes
all correlation with the group from the training rows, 0 none; C: `C`, inverse strength of the penalty.
Where the group can be read from the features exactly (its columns are among them), s_hat = s and this is Fairlearn's
CorrelationRemover, its group columns made constant. Departure: that one needs the group of everybody it scores; here
the best linear reading of it stands in, with the smallest change that still removes all correlation (LEACE). Fitted on
training rows only, data weights counted. Runs are fitted one after another; all seeds agree. With alpha 0 this is
logistic regression without balance.
Reference: Weerts et al., Fairlearn: assessing and improving fairness of AI systems, JMLR 2023; Belrose et al., LEACE:
perfect linear concept erasure in closed form, NeurIPS 2023.

>>> import numpy as np
>>> x, attr = np.array([[0., 1.], [0., 3.], [1., 5.], [1., 7.]]), np.array([0, 0, 1, 1])
>>> (x - (x - x.mean(0)) @ removal(x, attr, np.ones(4))[1]).round(6).tolist()
[[0.5, 3.0], [0.5, 5.0], [0.5, 3.0], [0.5, 5.0]]
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from core.types import Method, Param, Rows, Task

FEATURES = 1e-6  # features are float32: directions this much weaker than the strongest are rounding errors
GROUPS = 1e-9  # likewise for directions of the groups, and below TINY where there is one group alone
TINY = 1e-12


def removal(x: np.ndarray, attr: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x (M, D), attr (M,), w (M,) -> mean (D,) and map (D, D): x - (x - mean) @ map has no correlation with attr."""
    x, root = x.astype(np.float64), np.sqrt(w / w.sum())[:, None]
    s = (attr[:, None] == np.unique(attr)).astype(np.float64)
    mean = (root**2 * x).sum(0)
    x_c, s_c = root * (x - mean), root * (s - (root**2 * s).sum(0))
    read = np.linalg.lstsq(x_c, s_c, rcond=FEATURES)[0]
    told = s_c.T @ (x_c @ read)
    small = max(GROUPS, TINY / max(float(np.linalg.norm(told, 2)), TINY))
    inverse = np.linalg.pinv(told, rcond=small, hermitian=True)
    return mean, read @ inverse @ (s_c.T @ x_c)


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit the change of the features and the logistic regression on them. It has no randomness: all seeds agree."""
    weight = np.asarray(rows.weight, dtype=np.float64)
    mean, change = removal(task.x[rows.index], task.attr[rows.index], weight)

    def changed(x: np.ndarray) -> np.ndarray:
        return (x - hp["alpha"] * (x - mean) @ change).astype(np.float32)

    model = LogisticRegression(C=hp["C"], max_iter=500)
    model.fit(changed(task.x[rows.index]), task.y[rows.index], weight)
    return lambda x: model.predict_proba(changed(x))


METHOD = Method(
    name="correlation_remover",
    title="Correlation remover",
    family="represent",
    summary="Takes out of every feature what goes with the group, then fits a logistic regression.",
    source="Weerts et al. 2023, Fairlearn (JMLR); Belrose et al. 2023, LEACE (NeurIPS)",
    equation="x′ = x − α (ŝ − m) (Ŝ′S)⁻¹ S′X",
    params=(
        Param("alpha", 1.0, 0.0, 1.0, symbol="α", title="Share of the correlation removed",
              help="1 leaves no feature that goes with the group on training rows, 0 changes nothing."),
        Param("C", 1.0, 1e-4, 1e4, log=True, symbol="C", title="Freedom of the weights",
              help="Of the logistic regression. Small values keep its weights small. Usual 0.01 to 100."),
    ),
    needs=frozenset({"attr_train"}),
    limits=(({"alpha": 0.0}, "class_weighted_logistic", {"balance": "none"}),),
    fit=fit,
    known_failures="Correlation alone goes: features together, or a curved model, can still tell the group. With more "
                   "features than rows the reading of the group fits noise. If classes differ between groups, "
                   "accuracy falls.",
)  # fmt: skip
