r"""SMOTE-NC: SMOTE for tables with categories: numbers lie between neighbours, categories are voted by them.

    numbers: x_new = x + u (x' - x),  u ~ U(0, 1);   categories: the most frequent among the k nearest of x
    distance^2 = sum (numbers)^2 + s^2 (categories that differ)

k: `k`; s: the median over the numbers of their standard deviation in the cell; `ratio`: how far cells are filled; `by`:
class or group. By imbalanced-learn's SMOTENC, its SMOTEN where every column is a category, its SMOTE where none is.
A category is a block of encoded columns "name = level" with exactly one 1 in each training row, or a single column of
zeros and ones; pixels are numbers. Rows are counted; a new row takes data weight and attribute group of the nearest
training row of its cell. With ratio 0 this is plain training.
Reference: Chawla, Bowyer, Hall, Kegelmeyer, SMOTE: synthetic minority over-sampling technique, JAIR 2002, section 6.

>>> METHOD.family, METHOD.param("k").default
('resample', 5)
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from core.methods.resample._imblearn import BY, FILL, as_rows, cells_for, filled, need_rows, neighbours, run, seed_from
from core.types import Method, Rows, Task


def category_blocks(task: Task) -> list[list[int]]:
    """The encoded columns of each category, as their numbers; judged by names and training rows."""
    if task.image_shape is not None:
        return []
    x = task.x[task.splits.train]
    binary = ((x == 0) | (x == 1)).all(axis=0)
    blocks: list[list[int]] = []
    names = [name.split(" = ")[0] if " = " in name else None for name in task.feature_names]
    for (name, is_binary), run_of in groupby(range(x.shape[1]), key=lambda j: (names[j], bool(binary[j]))):
        columns = list(run_of)
        whole = name is not None and len(columns) > 1 and (x[:, columns].sum(axis=1) == 1).all()
        if is_binary:
            blocks += [columns] if whole else [[j] for j in columns]
    return blocks


def to_codes(x: np.ndarray, blocks: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """(M, D) encoded -> (M, numbers + categories) with one code for each block, and the columns of the numbers."""
    numbers = np.setdiff1d(np.arange(x.shape[1]), [j for block in blocks for j in block])
    codes = [x[:, block].argmax(axis=1) if len(block) > 1 else x[:, block[0]] for block in blocks]
    return np.column_stack([x[:, numbers], *codes]).astype(np.float32), numbers


def from_codes(z: np.ndarray, blocks: list[list[int]], numbers: np.ndarray) -> np.ndarray:
    """The way back from `to_codes`."""
    x = np.zeros((len(z), len(numbers) + sum(map(len, blocks))), np.float32)
    x[:, numbers] = z[:, : len(numbers)]
    for block, code in zip(blocks, z[:, len(numbers) :].T, strict=True):
        x[:, block] = code[:, None] == np.arange(len(block)) if len(block) > 1 else code[:, None]
    return x


def sampler_for(n_numbers: int, n_categories: int, **settings: Any) -> Any:
    """SMOTE of the kind that suits the columns."""
    from imblearn.over_sampling import SMOTE, SMOTEN, SMOTENC

    if n_categories == 0:
        return SMOTE(**settings)
    if n_numbers == 0:
        return SMOTEN(**settings)
    return SMOTENC(list(range(n_numbers, n_numbers + n_categories)), **settings)


def prepare(task: Task, hp, rng) -> Rows:
    """The training rows and the new ones, with whole categories."""
    cells = cells_for(task, hp["by"], METHOD.title)
    wanted = filled(cells, hp["ratio"])
    if not wanted:
        return Rows()
    need_rows(cells, wanted, hp["k"] + 1)
    blocks, old = category_blocks(task), len(cells.x)
    z, numbers = to_codes(cells.x, blocks)
    sampler = sampler_for(len(numbers), len(blocks), sampling_strategy=wanted, k_neighbors=hp["k"],
                          random_state=seed_from(rng))  # fmt: skip
    made = run(replace(cells, x=z), sampler)
    assert made is not None
    return as_rows(task, cells, np.arange(old), from_codes(made[0][old:], blocks, numbers), made[1][old:])


METHOD = Method(
    name="smotenc",
    title="SMOTE-NC",
    family="resample",
    summary="SMOTE for tables with categories: a new row takes those that most of its neighbours have.",
    source="Chawla, Bowyer, Hall, Kegelmeyer 2002, SMOTE (JAIR), section 6; imbalanced-learn",
    equation="x_new = x + u (x′ − x); categories by vote of the k nearest",
    params=(FILL, neighbours(), BY),
    papers=(26,),
    needs=frozenset({"attr_train"}),
    limits=(({"ratio": 0.0}, "erm", {}),),
    prepare=prepare,
    known_failures="Rare categories are outvoted and become rarer among new rows. Combinations may appear that cannot "
                   "exist. Probabilities speak for a balanced world.",
)  # fmt: skip
