"""What the samplers of imbalanced-learn share: training rows in cells in, rows of the engine's form out.

A cell is a class, or a subgroup (class x attribute group) with `by` = group; a sampler takes it for a class. Rows are
counted, not weighed: a kept row keeps its data weight, a new one takes that of the row it comes from, or, where the
sampler does not tell, of the nearest training row of its cell (its attribute group too); all are scaled to mean 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from core.methods._cells import cells_of
from core.types import BadInput, Param, Rows, Task

BY = Param(
    "by", "class", choices=("class", "group"), stage="prepare", title="Balance",
    help="class: the classes; group: every class within every attribute group.",
)  # fmt: skip
FILL = Param(
    "ratio", 1.0, 0.0, 1.0, stage="prepare", title="Fill up to",
    help="Size every smaller cell reaches, as a share of the largest. 1 balances them, 0 adds nothing.",
)  # fmt: skip
CUT = Param(
    "ratio", 1.0, 0.0, 1.0, stage="prepare", title="Balance reached",
    help="The smallest cell as a share of every larger one afterwards. 1 balances them, 0 drops nothing.",
)  # fmt: skip
CLEAN = Param(
    "clean", "larger", choices=("larger", "all"), stage="prepare", title="Rows to drop from",
    help="larger: all cells but the smallest, which stays whole; all: every cell.",
)  # fmt: skip
KIND = Param(
    "kind", "all", choices=("all", "mode"), stage="prepare", title="Neighbours that must agree",
    help="all: one foreign neighbour is enough to drop a row; mode: most of them must be foreign.",
)  # fmt: skip
FEW_LEFT = "Expected n_neighbors"  # how scikit-learn starts to say that there are fewer rows than neighbours
STRATEGY = {"larger": "not minority", "all": "all"}  # the words of imbalanced-learn for `clean`
Troubles = Mapping[str, BadInput | None]


def neighbours(default: int = 5, high: int = 50) -> Param:
    """The setting for the neighbours between which, or by which, a sampler decides."""
    return Param("k", default, 1, high, stage="prepare", symbol="k", title="Neighbours",
                 help="How many nearest rows are looked at. Usual 3 to 10.")  # fmt: skip


@dataclass(frozen=True)
class Cells:
    """The training rows as a sampler sees them.

    x (M, D) float32; code (M,) int64 in 0..K-1 without gaps; n (K,) rows of each; value (K,) the cell's number in the
    task; words (K,) its name; title: the method's.
    """

    x: np.ndarray
    code: np.ndarray
    n: np.ndarray
    value: np.ndarray
    words: tuple[str, ...]
    title: str


def cells_for(task: Task, by: str, title: str) -> Cells:
    """The training rows in cells; BadInput where there is only one."""
    value, code, n = np.unique(cells_of(task, by), return_inverse=True, return_counts=True)
    if len(value) < 2:
        raise BadInput(title, "one group", "at least two groups or classes", "choose other groups")
    if by == "group":
        words = tuple(f"{task.classes[v // task.n_attrs]}, {task.attr_labels[v % task.n_attrs]}" for v in value)
    else:
        words = tuple(task.classes[v] for v in value)
    return Cells(task.x[task.splits.train], code.astype(np.int64), n, value, words, title)


def seed_from(rng: np.random.Generator) -> int:
    """A seed for a sampler that wants a number."""
    return int(rng.integers(2**31 - 1))


def filled(cells: Cells, ratio: float) -> dict[int, int]:
    """code -> rows wanted, of every cell that is smaller than ratio x the largest."""
    goal = int(np.round(ratio * cells.n.max()))
    return {int(k): goal for k in np.flatnonzero(cells.n < goal)}


def cut(cells: Cells, ratio: float) -> dict[int, int]:
    """code -> rows wanted, of every cell that is larger than the smallest / ratio."""
    goal = int(np.round(cells.n.min() / ratio)) if ratio > 0 else int(cells.n.max())
    return {int(k): goal for k in np.flatnonzero(cells.n > goal)}


def need_rows(cells: Cells, codes, least: int, why: str = "one more than the neighbours") -> None:
    """BadInput unless each of these cells has at least so many rows."""
    for code in codes:
        if cells.n[code] < least:
            rows = "1 training row" if cells.n[code] == 1 else f"{cells.n[code]} training rows"
            raise BadInput(cells.title, f"{rows} of {cells.words[code]}", f"at least {least}, {why}",
                           "lower this setting or choose coarser groups")  # fmt: skip


def need_neighbours(cells: Cells, k: int) -> None:
    """BadInput unless there are more than k training rows in all."""
    if len(cells.code) <= k:
        raise BadInput(f"{cells.title}, neighbours", str(k), f"fewer than the {len(cells.code)} training rows",
                       "lower the number of neighbours")  # fmt: skip


def few_left(cells: Cells) -> BadInput:
    """What to say where repeated cleaning leaves fewer rows than neighbours."""
    return BadInput(cells.title, "hardly any row left after cleaning", "more rows than neighbours",
                    "lower the number of neighbours, or clean less")  # fmt: skip


def run(cells: Cells, sampler: Any, troubles: Troubles | None = None) -> tuple[np.ndarray, np.ndarray] | None:
    """(x, codes) that the sampler makes; None where a trouble is that there is nothing to do.

    troubles: part of a message of the sampler -> the sentence for a person. Any other error is not caught.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sampler.fit_resample(cells.x, cells.code)
    except (ValueError, RuntimeError) as error:
        for part, sentence in (troubles or {}).items():
            if part in str(error):
                if sentence is None:
                    return None
                raise sentence from error
        raise


def nearest_of_cell(cells: Cells, x: np.ndarray, code: np.ndarray) -> np.ndarray:
    """(Q,) for each new row the position of the nearest training row of its cell."""
    base = np.empty(len(x), dtype=np.int64)
    for k in np.unique(code):
        members = np.flatnonzero(cells.code == k)
        search = NearestNeighbors(n_neighbors=1).fit(cells.x[members])
        base[code == k] = members[search.kneighbors(x[code == k], return_distance=False)[:, 0]]
    return base


def as_rows(task: Task, cells: Cells, kept, x=None, code=None, base=None) -> Rows:
    """Rows of the engine from positions `kept` among the training rows and new rows x (Q, D) of cells `code` (Q,).

    base (Q,): the training row that each new row comes from, by default the nearest of its cell. BadInput where a
    cell has lost all its rows; plain training where nothing has changed.
    """
    train, kept, new = task.splits.train, np.asarray(kept), 0 if x is None else len(x)
    if new == 0 and np.array_equal(kept, np.arange(len(train))):
        return Rows()
    codes = cells.code[kept] if new == 0 else np.concatenate([cells.code[kept], code])
    gone = np.flatnonzero(np.bincount(codes, minlength=len(cells.n)) == 0)
    if len(gone):
        raise BadInput(cells.title, f"all training rows of {cells.words[gone[0]]} dropped", "some of every class",
                       "lower the number of neighbours, or clean less")  # fmt: skip
    w = task.w[train].astype(float)
    if new == 0:
        return Rows(index=train[kept], weight=np.full(len(kept), 1.0 / w[kept].mean()))
    base = nearest_of_cell(cells, x, code) if base is None else base
    weight = np.concatenate([np.ones(len(kept)), w[base]]) / np.concatenate([w[kept], w[base]]).mean()
    y, attr = task.y[train[base]], task.attr[train[base]]
    return Rows(index=train[kept], weight=weight, x=x.astype(np.float32), y=y, attr=attr)


def grown(task: Task, cells: Cells, sampler: Any, troubles: Troubles | None = None) -> Rows:
    """Rows of a sampler that appends new rows to all old ones."""
    made, old = run(cells, sampler, troubles), len(cells.code)
    return Rows() if made is None else as_rows(task, cells, np.arange(old), made[0][old:], made[1][old:])


def thinned(task: Task, cells: Cells, sampler: Any, troubles: Troubles | None = None) -> Rows:
    """Rows of a sampler that drops rows."""
    run(cells, sampler, troubles)
    return as_rows(task, cells, np.sort(sampler.sample_indices_))


def grown_then_thinned(task: Task, cells: Cells, grow: Any | None, clean: Any) -> Rows:
    """Rows of a sampler that appends (None: nothing to append) followed by one that drops old and new rows."""
    made = (cells.x, cells.code) if grow is None else run(cells, grow)
    assert made is not None
    x, code = made
    clean.fit_resample(x, code)
    kept, old = np.sort(clean.sample_indices_), len(cells.code)
    new = kept[kept >= old]
    return as_rows(task, cells, kept[kept < old], x[new], code[new])
