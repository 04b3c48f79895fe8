r"""BalanceCascade: trees on balanced parts; after each round the rows the ensemble already knows best are put away.

    after round t keep the n_c r_c^t hardest rows of cell c,   r_c = (n_min / n_c)^(1/T),   hardness 1 - p_y

p: mean of the t trees so far (it sums to 1 from the first tree on); T: `n_members`; `depth` of the trees; cells are
classes or groups: `by`. Every tree sees all rows of the smallest cell and as many of what is left of each other one;
after T rounds as many are left as the smallest has. Departures: members are trees, where the paper boosts each; as in
the published package the keep rate is spread over T rounds, where the paper has T - 1, so that no cell falls below the
smallest; every larger cell has its own pool. Data weights count: a row keeps its weight, divided by the mean of its
cell. Default T = 50 as in the published comparison.
Reference: Liu, Wu, Zhou, Exploratory undersampling for class-imbalance learning, IEEE SMC-B 2009; IMBENS 2021.

>>> [pool_size(1000, 10, t, 2) for t in range(3)]
[1000, 100, 10]
"""

from __future__ import annotations

import numpy as np

from core.methods.ensemble._bagging import bag, hardness, tree_member
from core.methods.ensemble._draws import draw, wanted
from core.methods.ensemble._members import BY, DEPTH, MEMBERS, Data, Sample, data_of, once
from core.types import Method, Rows, Task


def pool_size(n: int, smallest: int, t: int, rounds: int) -> int:
    """Rows of a cell of n left after t of `rounds` rounds."""
    return max(int(smallest), int(np.floor(n * (smallest / n) ** (t / rounds) + 1e-9)))


def hardest(pool: np.ndarray, h: np.ndarray, keep: int) -> np.ndarray:
    """The `keep` rows of the pool with the largest hardness h (of all rows); ties keep their order."""
    return pool[np.sort(np.argsort(-h[pool], kind="stable")[:keep])]


def choose(data: Data, rounds: int):
    """choose(t, mean, rng) for the loop of bagging; it forgets the easiest rows before it draws."""
    sizes = data.sizes
    n = wanted(sizes, "under", 1.0)
    pools = {g: np.flatnonzero(data.cell == g) for g in np.flatnonzero(sizes)}

    def pick(t: int, mean: np.ndarray | None, rng: np.random.Generator) -> Sample:
        if mean is not None:
            h = hardness(mean, data.y)
            shuffled = {g: rng.permutation(pool) for g, pool in pools.items()}  # ties are broken at random
            pools.update({g: hardest(p, h, pool_size(sizes[g], n[g], t, rounds)) for g, p in shuffled.items()})
        left = np.sort(np.concatenate(list(pools.values())))
        index, weight = once(left[draw(data.cell[left], n, rng, replace=False)], data.w * data.level)
        return Sample(data.x[index], data.y[index], weight, n)

    return pick


def fit(task: Task, rows: Rows, hp, seed: int):
    """Fit and return the ensemble."""
    data = data_of(task, rows, hp["by"])
    pick = choose(data, hp["n_members"])
    member = tree_member(data.n_classes, hp["depth"])
    return bag(data, hp["n_members"], pick, member, np.random.default_rng(seed), watch=True)


METHOD = Method(
    name="balance_cascade",
    title="BalanceCascade",
    family="ensemble",
    summary="Trees on balanced parts of the data; rows that are already well known are dropped round by round.",
    source="Liu, Wu, Zhou 2009, Exploratory undersampling for class-imbalance learning; Liu et al. 2021, IMBENS",
    equation="keep n_c r^t hardest rows, r = (n_min / n_c)^(1/T)",
    params=(MEMBERS, DEPTH, BY),
    papers=(40, 64),
    needs=frozenset({"attr_train"}),
    fit=fit,
    known_failures="Late members see hard rows alone, and wrong labels are the hardest. Probabilities speak for a "
                   "balanced world.",
)  # fmt: skip
