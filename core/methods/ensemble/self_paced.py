r"""Self-paced ensemble: each tree sees all rare rows and others picked by how hard the ensemble so far finds them.

    h = 1 - p_y,   share of bin b ~ 1 / (mean h in b + alpha_t),   alpha_t = tan(pi t / (2 (T - 1)))

p: mean of the t trees so far (it sums to 1 from the first tree on); k: `k` bins of equal width between the smallest and
the largest h of a cell; T: `n_members`; `depth` of the trees; cells are classes or groups: `by`. Every cell gives as
many rows as the smallest has. The first tree sees a random part; early on every bin carries the same hardness, in the
last round it gives the same number of rows. A bin smaller than its share is drawn with replacement. Departure: the
paper has two classes; here every larger cell has bins of its own. Data weights count: means are weighted, a row
keeps its weight, divided by the mean weight of its cell. T = 50 and k = 5 are the paper's.
Reference: Liu et al., Self-paced ensemble for highly imbalanced massive data classification, ICDE 2020.

>>> quotas(np.array([4, 0, 4]), np.array([0.1, 0.0, 0.9]), float("inf"), 6).tolist()
[3, 0, 3]
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._bagging import bag, hardness, tree_member
from core.methods.ensemble._draws import resample, wanted
from core.methods.ensemble._members import BY, DEPTH, MEMBERS, Data, Sample, data_of, once
from core.types import Method, Param, Rows, Task


def pace(t: int, rounds: int) -> float:
    """alpha of round t: 0 in the first, infinite in the last."""
    if rounds < 2 or t >= rounds - 1:
        return float("inf")
    return float(np.tan(np.pi * t / (2 * (rounds - 1))))


def bins_of(h: np.ndarray, k: int) -> np.ndarray:
    """(m,) bin 0..k-1 of each hardness, of equal width between the smallest and the largest."""
    width = np.ptp(h)
    return np.zeros(len(h), int) if width == 0 else np.minimum(((h - h.min()) / width * k).astype(int), k - 1)


def quotas(n: np.ndarray, mean: np.ndarray, alpha: float, total: int) -> np.ndarray:
    """(k,) rows to take of each bin with n rows and mean hardness; together `total`, nothing from empty bins."""
    rate = np.ones(len(n)) if np.isinf(alpha) else 1.0 / np.maximum(mean + alpha, 1e-9)
    rate = np.where(n > 0, rate, 0.0)
    exact = total * rate / rate.sum()
    take = np.floor(exact + 1e-9).astype(int)
    order = np.argsort(-(exact - take), kind="stable")
    take[order[: total - take.sum()]] += 1
    return take


def paced(h: np.ndarray, w: np.ndarray, k: int, alpha: float, total: int, rng) -> np.ndarray:
    """(total,) positions drawn from rows of hardness h (m,) and weight w (m,) by the quotas of their bins."""
    part = bins_of(h, k)
    n, mass = np.bincount(part, minlength=k), np.bincount(part, w, k)
    mean = np.bincount(part, w * h, k) / np.where(mass > 0, mass, 1.0)
    take = quotas(n, mean, alpha, total)
    rows = [np.flatnonzero(part == b) for b in range(k)]
    return np.concatenate([rng.choice(rows[b], take[b], replace=bool(take[b] > n[b])) for b in np.flatnonzero(take)])


def choose(data: Data, k: int, rounds: int):
    """choose(t, mean, rng) for the loop of bagging."""
    sizes = data.sizes
    n = wanted(sizes, "under", 1.0)
    cells = {g: np.flatnonzero(data.cell == g) for g in np.flatnonzero(sizes)}

    def pick(t: int, mean: np.ndarray | None, rng: np.random.Generator) -> Sample:
        if mean is None:
            return resample(data, n, data.w, 1.0, rng, replace=False)
        h, alpha, chosen = hardness(mean, data.y), pace(t, rounds), []
        for g, rows in cells.items():
            larger = len(rows) > n[g]
            chosen.append(rows[paced(h[rows], data.w[rows], k, alpha, n[g], rng)] if larger else rows)
        index, weight = once(np.concatenate(chosen), data.w * data.level)
        return Sample(data.x[index], data.y[index], weight, n)

    return pick


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows, hp["by"])
    pick = choose(data, hp["k"], hp["n_members"])
    member = tree_member(data.n_classes, hp["depth"])
    return bag(data, hp["n_members"], pick, member, np.random.default_rng(seed), watch=True)


METHOD = Method(
    name="self_paced",
    title="Self-paced ensemble",
    family="ensemble",
    summary="Each tree sees a balanced part of the data that leans, round by round, more towards hard rows.",
    source="Liu et al. 2020, Self-paced ensemble for highly imbalanced massive data classification (ICDE)",
    equation="share of bin ∝ 1 / (mean h + tan(πt / 2(T−1)))",
    params=(
        MEMBERS,
        Param("k", 5, 1, 50, static=True, symbol="k", title="Bins of hardness",
              help="1 ignores hardness: under-bagging. More tell hard from very hard. Usual 5 to 20."),
        DEPTH,
        BY,
    ),
    papers=(34, 40, 64),
    needs=frozenset({"attr_train"}),
    fit=fit,
    known_failures="Wrong labels are hard rows, and late trees see many of them. Probabilities speak for a balanced "
                   "world.",
)  # fmt: skip
