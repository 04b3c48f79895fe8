from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.under_sampling import AllKNN
from toys import make_task

from core import registry
from core.types import BadInput, Splits

METHOD = registry.method("all_knn")


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
    theirs = AllKNN(sampling_strategy=strategy, n_neighbors=2, kind_sel=kind)
    theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, clean=clean, kind=kind, k=2)
    assert np.array_equal(rows.index, train[np.sort(theirs.sample_indices_)]) and rows.x is None
    assert 0 < len(rows.index) < len(train)



def test_editing_with_one_neighbour_then_two_by_hand():
    """One neighbour: 3 has 3.4 and goes; with two, 2 now has 1 and 3.4 and goes."""
    task = line([-1, 0, 1, 2, 3], [3.4, 3.6, 9])
    assert task.x[made(task, k=1).index, 0].tolist() == pytest.approx([-1, 0, 1, 2, 3.4, 3.6, 9])
    assert task.x[made(task, k=2).index, 0].tolist() == pytest.approx([-1, 0, 1, 3.4, 3.6, 9])


def test_it_keeps_no_row_that_one_neighbour_speaks_against():
    task = make_task(900)
    hp = {"k": 1, "kind": "all", "clean": "larger", "by": "class"}
    once = registry.method("edited_nn").prepare(task, hp, np.random.default_rng(0)).index
    assert np.isin(made(task).index, once).all()


def test_running_out_of_rows_is_told():
    """Ten rows of the large class touch one of the small class each and go at once; twenty rows are left."""
    one = np.arange(5.0) + 100
    with pytest.raises(BadInput, match="All k-NN: found hardly any row left after cleaning"):
        made(line([*np.arange(15.0), *(one - 0.1), *(one + 0.11)], one), k=20, kind="mode")


def test_weights_are_kept_and_average_to_one():
    task = make_task(900, weighted=True)
    rows = made(task)
    assert (task.w[rows.index] * rows.weight).mean() == pytest.approx(1, abs=1e-6) and np.ptp(rows.weight) < 1e-9
