from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.over_sampling import BorderlineSMOTE
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from
from core.types import BadInput

METHOD = registry.method("borderline_smote")


def imbalanced():
    task = make_task(900)
    return replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))


def made(task, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(0))


@pytest.mark.parametrize("kind", ["1", "2"])
@pytest.mark.parametrize("by", ["class", "group"])
def test_new_rows_are_those_of_imbalanced_learn(kind, by):
    task = imbalanced()
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = BorderlineSMOTE(random_state=seed_from(np.random.default_rng(0)), k_neighbors=4, m_neighbors=8,
                             kind=f"borderline-{kind}")  # fmt: skip
    x, y = theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, k=4, m=8, kind=kind, by=by)
    assert np.array_equal(rows.x, x[len(train) :]) and np.array_equal(rows.index, train)
    mine = rows.y if by == "class" else rows.y * 2 + rows.attr
    assert np.array_equal(mine, y[len(train) :])


def test_new_rows_start_from_rows_in_danger_only():
    """On a line the small class has rows at 0 to 2, far from all others, and one cluster next to them at 9 to 11."""
    task = imbalanced()
    train = task.splits.train[:60]
    x = np.concatenate([np.linspace(0, 2, 10), np.linspace(9, 11, 10), np.linspace(10, 14, 40)])
    y = np.repeat([1, 1, 0], [10, 10, 40])
    big = replace(task, x=np.zeros((900, 1), np.float32), y=np.zeros(900, np.int64),
                  splits=task.splits._replace(train=train))  # fmt: skip
    big.x[train, 0], big.y[train] = x, y
    rows = made(big, k=3, m=5)
    assert len(rows.x) == 20 and rows.x.min() >= 9


def test_classes_apart_gain_nothing():
    task = imbalanced()
    apart = replace(task, x=(task.x + 100 * task.y[:, None]).astype(np.float32))
    assert made(apart).x is None


def test_too_few_rows_are_told():
    with pytest.raises(BadInput, match="Borderline-SMOTE: found .* training rows of class 1, allowed is at least 51"):
        few = imbalanced()
        few.y[few.splits.train[few.y[few.splits.train] == 1][40:]] = 0
        made(few, k=50)
