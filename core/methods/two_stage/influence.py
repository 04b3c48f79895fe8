r"""Influence reweighting (GSR): rows without known groups are weighed by how much they help the worst group elsewhere.

    theta(w) = argmin  sum_i w_i l_i + wd / 2 ||theta||^2,   q_g = softmax(L_g / `temperature`)
    s_i = sum_g q_g grad l_i' H^-1 grad L_g,   w <- max(0, w + `rate` s / max |s| / n), sum to 1

theta: the last layer alone, on the features of a plainly trained model (stage one, `first`); w: one weight for each
training row, equal to begin with; L_g: mean loss of subgroup g (class x attribute group) of the target, one half of the
validation rows; H: the exact Hessian; wd: `wd`. After `rounds` rounds the weights of the round with the best worst
subgroup accuracy on the target are kept, and stage two learns a fresh head from the training rows so weighted.
Departures: the authors hold out a part of the training rows for the head, here it learns from those that made the
features; the target both steers and chooses, so the run is measured on the other half of the validation rows; the last
fit is by the budget's optimiser, without wd.
Reference: Qiao et al., Group-robust sample reweighting for subpopulation shifts via influence functions, ICLR 2025.

>>> import numpy as np
>>> h, t = np.array([[1.0], [-1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
>>> theta = head(h, t, np.full(2, 0.5), 0.1)
>>> bool(theta[0, 1] > 0), np.allclose(theta[:, 0], -theta[:, 1])
(True, True)
"""

from __future__ import annotations

import numpy as np
import torch

from core.methods._cells import data_weights, row_weights
from core.methods.two_stage._first import FIRST
from core.types import Method, Param, Rows, Stage, Task

STEPS, DAMPING = 30, 1e-6


def _chances(h: np.ndarray, theta: np.ndarray) -> np.ndarray:
    z = h @ theta[:-1] + theta[-1]
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def losses(h: np.ndarray, t: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """(N, H) features, (N, C) one-hot labels, (H + 1, C) head -> (N,) cross-entropies."""
    return -np.log((_chances(h, theta) * t).sum(1).clip(1e-300))


def slopes(h: np.ndarray, t: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """(N, (H + 1) C) gradient of every row's loss."""
    ones = np.concatenate([h, np.ones((len(h), 1))], 1)
    return (ones[:, :, None] * (_chances(h, theta) - t)[:, None, :]).reshape(len(h), -1)


def bend(h: np.ndarray, theta: np.ndarray, w: np.ndarray, wd: float) -> np.ndarray:
    """((H + 1) C, (H + 1) C) Hessian of the weighted loss with its penalty, slightly damped."""
    ones, p = np.concatenate([h, np.ones((len(h), 1))], 1), _chances(h, theta)
    n, c = ones.shape[1], p.shape[1]
    found = np.empty((n, c, n, c))
    for i in range(c):
        for j in range(c):
            found[:, i, :, j] = (ones * (w * p[:, i] * ((i == j) - p[:, j]))[:, None]).T @ ones
    return found.reshape(n * c, n * c) + (wd + DAMPING) * np.eye(n * c)


def head(h: np.ndarray, t: np.ndarray, w: np.ndarray, wd: float, start: np.ndarray | None = None) -> np.ndarray:
    """(H + 1, C) head (bias last) of least weighted loss, by Newton's method with halved steps."""
    theta = np.zeros((h.shape[1] + 1, t.shape[1])) if start is None else start

    def value(th: np.ndarray) -> float:
        return float(w @ losses(h, t, th) + wd / 2 * (th**2).sum())

    for _ in range(STEPS):
        slope = w @ slopes(h, t, theta) + wd * theta.ravel()
        step = np.linalg.solve(bend(h, theta, w, wd), slope).reshape(theta.shape)
        size = 1.0
        while value(theta - size * step) > value(theta) and size > 1e-6:
            size /= 2
        theta = theta - size * step
        if np.abs(size * step).max() < 1e-8:
            break
    return theta


def score(h, t, w, wd, theta, goal_h, goal_t, goal: np.ndarray) -> np.ndarray:
    """(N,) how fast the goal's loss (weights `goal` over its rows) falls as a row's weight grows."""
    return slopes(h, t, theta) @ np.linalg.solve(bend(h, theta, w, wd), goal @ slopes(goal_h, goal_t, theta))


def _by_group(values: np.ndarray, cells: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Weighted mean of every cell that has rows."""
    return np.bincount(cells, values * w) / np.bincount(cells, w)


def weights(h, t, base, goal_h, goal_t, cells, goal_w, hp) -> np.ndarray:
    """(N,) weights of the rows, sum 1: features, one-hot labels and data weights, the same of the target and its
    subgroups `cells` (0.. without gaps)."""
    w = best = base / base.sum()
    top, theta = -1.0, None
    share = goal_w / np.bincount(cells, goal_w)[cells]  # each row's part in the mean of its group
    for k in range(hp["rounds"] + 1):
        theta = head(h, t, w, hp["wd"], theta)
        right = _chances(goal_h, theta).argmax(1) == goal_t.argmax(1)
        worst = _by_group(right, cells, goal_w).min()
        if worst > top:
            top, best = worst, w
        if k == hp["rounds"]:
            break
        lost = _by_group(losses(goal_h, goal_t, theta), cells, goal_w)
        q = np.exp((lost - lost.max()) / hp["temperature"])
        s = score(h, t, w, hp["wd"], theta, goal_h, goal_t, (q / q.sum())[cells] * share)
        w = np.maximum(w + hp["rate"] * s / max(np.abs(s).max(), 1e-300) / len(w), 0)
        w = w / w.sum()
    return best


def between(task: Task, scores: np.ndarray, hp, rng, model) -> Stage:
    """Training rows weighted for the worst subgroup of the validation rows, and a fresh head."""
    train, goal, eye = task.splits.train, task.val_fit, np.eye(task.n_classes)

    def features(rows: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return model.net.features(model.weights, torch.from_numpy(task.x[rows])).numpy().astype(np.float64)

    h = features(train)
    mean, scale = h.mean(0), np.where(h.std(0) > 1e-6, h.std(0), 1.0)
    base = data_weights(task)
    if not np.isfinite(h).all():
        return Stage(Rows(weight=np.ones(len(train)), index=train), fresh="head", train="head", standardise=True)
    cells = np.unique(task.subgroup[goal], return_inverse=True)[1]
    found = weights((h - mean) / scale, eye[task.y[train]], base, (features(goal) - mean) / scale, eye[task.y[goal]],
                    cells, task.w[goal].astype(float), hp)  # fmt: skip
    rows = row_weights(found / base, base)
    return Stage(Rows(index=train, weight=rows.weight), fresh="head", train="head", standardise=True)


METHOD = Method(
    name="influence",
    title="Influence reweighting (GSR)",
    family="two_stage",
    summary="Weighs training rows of unknown group by how much each helps the worst group of a few labelled rows.",
    source="Qiao et al. 2025, Group-robust sample reweighting via influence functions (ICLR)",
    equation="w ← w + η s, s_i = Σ_g q_g ∇l_i′ H⁻¹ ∇L_g, q = softmax(L / τ)",
    params=(
        FIRST,
        Param("rounds", 20, 0, 200, stage="between", title="Rounds of weighing",
              help="How often the weights are moved and the head is fitted again. 0 keeps the weights of the data."),
        Param("rate", 1.0, 1e-3, 100.0, log=True, stage="between", symbol="η", title="Step of the weights",
              help="The most helpful row gains this many times its first weight in a round."),
        Param("temperature", 0.1, 1e-3, 100.0, log=True, stage="between", symbol="τ", title="Breadth of the aim",
              help="Small looks at the worst group alone, large at all groups alike."),
        Param("wd", 0.01, 1e-4, 10.0, log=True, stage="between", title="Penalty of the inner head",
              help="Keeps the head small while rows are weighed; more makes the influence steadier."),
    ),
    papers=(28,),
    needs=frozenset({"attr_val", "fit_val"}),
    between=between,
    known_failures="The labelled rows steer every weight: with a handful in a group their noise is learned. Rows that "
                   "the features fit by heart have no influence left.",
)  # fmt: skip
