from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.under_sampling import RepeatedEditedNearestNeighbours
from toys import make_task

from core import registry
from core.types import BadInput, Splits

METHOD = registry.method("repeated_enn")


def imbalanced():
    task = make_task(900)
    return replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))


def clear():
    """Classes and attribute groups that hardly overlap."""
    task = imbalanced()
    x = task.x.copy()
    x[:, 0] += 4 * task.y
    x[:, 1] += 4 * task.attr
    return replace(task, x=x)


def line(zero, one):
    """Training rows of class 0 and 1 at these places on a line; the last one serves validation and test too."""
    x, y = np.array([*zero, *one, one[-1], one[-1]], np.float32), np.repeat([0, 1], [len(zero), len(one) + 2])
    n, zeros = len(x) - 2, np.zeros(len(x), np.int64)
    return replace(make_task(60), x=x[:, None], y=y, attr=zeros, w=np.ones(len(x), np.float32),
                   splits=Splits(np.arange(n), np.array([n]), np.array([n + 1])))  # fmt: skip


def made(task, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(0))


@pytest.mark.parametrize("by", ["class", "group"])
@pytest.mark.parametrize("kind", ["all", "mode"])
@pytest.mark.parametrize(("clean", "strategy"), [("larger", "auto"), ("all", "all")])
def test_rows_left_are_those_of_imbalanced_learn(by, clean, strategy, kind):
    task = clear()
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = RepeatedEditedNearestNeighbours(sampling_strategy=strategy, n_neighbors=2, kind_sel=kind)
    theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, clean=clean, kind=kind, k=2)
    assert np.array_equal(rows.index, train[np.sort(theirs.sample_indices_)]) and rows.x is None
    assert 0 < len(rows.index) < len(train)



def chain():
    """From 8 downwards each round takes away the last support of the next row."""
    return line([0, 0.1, 0.2, 0.3, 0.4, 5, 6, 7, 8], [8.5, 9, 9.2])


def test_one_round_is_editing_once_and_more_rounds_eat_further():
    task, once = chain(), registry.method("edited_nn")
    hp = {"k": 2, "kind": "all", "clean": "larger", "by": "class"}
    one = made(task, k=2, rounds=1).index
    assert np.array_equal(one, once.prepare(task, hp, np.random.default_rng(0)).index)
    assert task.x[one, 0].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 5, 6, 7, 8.5, 9, 9.2])
    two, all_of_them = made(task, k=2, rounds=2).index, made(task, k=2).index
    assert task.x[two, 0].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 5, 6, 8.5, 9, 9.2])
    assert task.x[all_of_them, 0].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 8.5, 9, 9.2])


def test_cleaning_again_drops_nothing_more():
    task = imbalanced()
    left = made(task).index
    assert len(left) < len(task.splits.train) - 50
    again = made(replace(task, splits=task.splits._replace(train=left)))
    assert again.index is None


def test_running_out_of_rows_is_told():
    rng = np.random.default_rng(0)
    task = line(rng.normal(size=30), rng.normal(size=25))
    with pytest.raises(BadInput, match="Repeated edited nearest neighbours: found"):
        made(task, k=15, clean="all")
