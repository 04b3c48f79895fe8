from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.under_sampling import EditedNearestNeighbours
from toys import make_task

from core import registry
from core.types import BadInput, Splits

METHOD = registry.method("edited_nn")


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
    theirs = EditedNearestNeighbours(sampling_strategy=strategy, n_neighbors=5, kind_sel=kind)
    theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, clean=clean, kind=kind, k=5)
    assert np.array_equal(rows.index, train[np.sort(theirs.sample_indices_)]) and rows.x is None
    assert 0 < len(rows.index) < len(train)



def test_rows_among_foreign_ones_go_by_hand():
    """Two nearest rows of 9.9: 10 and 10.3, both foreign; of 3: 2 and 1; of 10: 9.9 and 10.3, one of each."""
    task = line([0, 1, 2, 3, 9.9], [10, 10.3, 11])
    assert task.x[made(task, k=2).index, 0].tolist() == pytest.approx([0, 1, 2, 3, 10, 10.3, 11])
    every = made(task, k=2, clean="all", kind="all").index
    assert task.x[every, 0].tolist() == pytest.approx([0, 1, 2, 3, 11])


def test_a_class_that_would_vanish_and_too_many_neighbours_are_told():
    with pytest.raises(BadInput, match="all training rows of class 1 dropped"):
        made(line(np.arange(8.0), [3.5, 5.5]), clean="all")
    with pytest.raises(BadInput, match="neighbours: found 20, allowed is fewer than the 10 training rows"):
        made(line(np.arange(8.0), [3.5, 5.5]), k=20)


def test_weights_are_kept_and_average_to_one():
    task = make_task(900, weighted=True)
    rows = made(task)
    assert (task.w[rows.index] * rows.weight).mean() == pytest.approx(1, abs=1e-6) and np.ptp(rows.weight) < 1e-9
