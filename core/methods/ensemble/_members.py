"""What the ensembles share: the rows they learn from, one tree, and an ensemble that tells how its rounds went."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from core.types import Param, Rows, Task

Predict = Callable[[np.ndarray], np.ndarray]


class Data(NamedTuple):
    """Rows of a fit: x (M, D) float32, y (M,) class, cell (M,) what is balanced, w (M,) weights, and how many classes
    and cells there are (empty ones included)."""

    x: np.ndarray
    y: np.ndarray
    cell: np.ndarray
    w: np.ndarray
    n_classes: int
    n_cells: int

    @property
    def sizes(self) -> np.ndarray:
        """(n_cells,) rows in each cell."""
        return np.bincount(self.cell, minlength=self.n_cells)

    @property
    def mass(self) -> np.ndarray:
        """(n_cells,) summed weights of each cell."""
        return np.bincount(self.cell, self.w, minlength=self.n_cells)

    @property
    def level(self) -> np.ndarray:
        """(M,) factors that give every cell the mean weight of all rows; ones where there are no weights."""
        n, mass = self.sizes, self.mass
        factor = np.where(mass > 0, n * self.w.mean() / np.where(mass > 0, mass, 1.0), 1.0)
        return factor[self.cell]


class Sample(NamedTuple):
    """What one member learns from: x (Q, D), y (Q,), w (Q,), and counts (n_cells,) of its rows."""

    x: np.ndarray
    y: np.ndarray
    w: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class Ensemble:
    """A fitted ensemble: call it with x (M, D) to get (M, C) probabilities.

    Args:
        predict: the probabilities of all members together.
        counts: (T, cells) rows of every cell in each round's sample.
        facts: other numbers per round, by name: "error" and "vote" of boosting.
    """

    predict: Predict
    counts: np.ndarray
    facts: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return self.predict(x)


def data_of(task: Task, rows: Rows, by: str = "class") -> Data:
    """The rows that `fit` was given, with cells by class or by group (every class within every attribute group)."""
    index = np.asarray(rows.index)
    cells, n = (task.y, task.n_classes) if by == "class" else (task.subgroup, task.n_classes * task.n_attrs)
    return Data(task.x[index], task.y[index], cells[index], np.asarray(rows.weight, float), task.n_classes, n)


def once(index: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Drawn rows (Q,) with their weights w (M,) -> each row once, its weight times how often it was drawn.

    A tree grown on it is the tree grown on the copies, and a bootstrap sample costs a third less."""
    rows, times = np.unique(index, return_counts=True)
    return rows, w[rows] * times


def grow(sample: Sample, depth: int, rng: np.random.Generator, features: str | None = None) -> DecisionTreeClassifier:
    """One tree; depth 0 is no limit; features: "sqrt" looks at a few columns in each split."""
    tree = DecisionTreeClassifier(max_depth=depth or None, max_features=features,
                                  random_state=int(rng.integers(2**31)))  # fmt: skip
    return tree.fit(sample.x, sample.y, sample.w / sample.w.mean())


def shares(tree: DecisionTreeClassifier, x: np.ndarray, n_classes: int) -> np.ndarray:
    """(M, n_classes) probabilities of a tree that may not have met every class."""
    out = np.zeros((len(x), n_classes))
    out[:, tree.classes_] = tree.predict_proba(x)
    return out


def running_mean(mean: np.ndarray | None, new: np.ndarray, before: int) -> np.ndarray:
    """Mean of before + 1 members from the mean of `before`; the first member stands alone, so rows always sum to 1."""
    return new if mean is None else mean + (new - mean) / (before + 1)


MEMBERS = Param(
    "n_members", 50, 1, 500, log=True, static=True, symbol="T", title="Members",
    help="How many models vote. More are steadier and slower; beyond 50 little changes. Usual 10 to 100.",
)  # fmt: skip
DEPTH = Param(
    "depth", 0, 0, 30, static=True, title="Depth of a tree",
    help="Most questions in a row; 0 is no limit. Shallow trees give smoother scores. Usual 0, or 4 to 12.",
)  # fmt: skip
STUMP = Param(
    "depth", 1, 1, 10, static=True, title="Depth of a tree",
    help="Most questions in a row. 1 is a stump; deeper members fit faster and overfit sooner. Usual 1 to 4.",
)  # fmt: skip
BY = Param(
    "by", "class", choices=("class", "group"), static=True, title="Balance",
    help="class: rare classes are brought to the size of the others; group: every class within every attribute group.",
)  # fmt: skip
AMOUNT = Param(
    "amount", 1.0, 0.0, 1.0, title="How far to balance",
    help="0 leaves the sizes as they are, 1 makes all equal; half-way sizes lie between.",
)  # fmt: skip
SCHEDULE = Param(
    "schedule", "uniform", choices=("uniform", "progressive"), static=True, title="Schedule",
    help="uniform: every member sees balanced sizes; progressive: the first sees them as they are, the last balanced.",
)  # fmt: skip
STRENGTH = Param(
    "strength", 1.0, 0.0, 2.0, title="Strength of the costs",
    help="Costs are inverse class sizes to this power. 0 is AdaBoost, 1 the ratio of the sizes.",
)  # fmt: skip
NEIGHBOURS = Param(
    "k", 5, 1, 50, symbol="k", title="Neighbours",
    help="New points lie between a row and one of its k nearest; a small cell uses what it has. Usual 1 to 10.",
)  # fmt: skip
JUDGE = Param(
    "judge", "all", choices=("all", "sample"), static=True, title="Judge members on",
    help="all: the real rows, as the papers do, and members no better than guessing are dropped; sample: what they "
    "learnt from, which keeps nearly all of them under strong imbalance.",
)  # fmt: skip
