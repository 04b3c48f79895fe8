from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.combine import SMOTETomek
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from
from core.types import BadInput, Splits

METHOD = registry.method("smote_tomek")


def clear():
    """A rare class; classes and attribute groups that hardly overlap."""
    task = make_task(900)
    y = np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y)
    x = task.x.copy()
    x[:, 0] += 4 * y
    x[:, 1] += 4 * task.attr
    return replace(task, x=x, y=y)


def line(zero, one):
    """Training rows of class 0 and 1 at these places on a line; the last one serves validation and test too."""
    x, y = np.array([*zero, *one, one[-1], one[-1]], np.float32), np.repeat([0, 1], [len(zero), len(one) + 2])
    n, zeros = len(x) - 2, np.zeros(len(x), np.int64)
    return replace(make_task(60), x=x[:, None], y=y, attr=zeros, w=np.ones(len(x), np.float32),
                   splits=Splits(np.arange(n), np.array([n]), np.array([n + 1])))  # fmt: skip


def made(task, seed=0, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(seed))


def new_and_old(task, rows):
    x = np.concatenate([task.x[rows.index], rows.x])
    return x[np.lexsort(x.T)]


@pytest.mark.parametrize("by", ["class", "group"])
def test_rows_are_those_of_imbalanced_learn(by):
    task = clear()
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = SMOTETomek(random_state=seed_from(np.random.default_rng(0)))
    x, y = theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by)
    assert np.array_equal(new_and_old(task, rows), x[np.lexsort(x.T)])
    code = rows.y if by == "class" else rows.y * 2 + rows.attr
    assert np.array_equal(np.sort(np.concatenate([cells[rows.index], code])), np.sort(y))


def test_new_rows_take_the_weight_of_their_class_and_all_average_to_one():
    task = replace(clear(), w=np.where(clear().y == 1, 0.2, 1.2).astype(np.float32))
    rows = made(task)
    final = rows.weight * np.concatenate([task.w[rows.index], np.ones(len(rows.y))])
    rare = np.concatenate([task.y[rows.index], rows.y]) == 1
    assert final.mean() == pytest.approx(1) and np.ptp(final[rare]) < 1e-6 and np.ptp(final[~rare]) < 1e-6
    assert final[~rare][0] / final[rare][0] == pytest.approx(6)


def test_too_few_rows_are_told():
    with pytest.raises(BadInput, match="3 training rows of class 1, allowed is at least 6"):
        made(line(np.arange(20.0), np.arange(3.0)))


def test_without_new_rows_links_of_all_cells_go():
    task = make_task(900)
    hp = {"clean": "all", "by": "class"}
    theirs = registry.method("tomek_links").prepare(task, hp, np.random.default_rng(0))
    rows = made(task, ratio=0.0)
    assert np.array_equal(rows.index, theirs.index) and rows.x is None


def test_no_link_is_left_of_those_that_were():
    """A second cleaning may find new links, but none of the pairs of the first."""
    task = make_task(900)
    rows = made(task, ratio=0.0)
    gone = np.setdiff1d(task.splits.train, rows.index)
    assert len(gone) and np.bincount(task.y[gone]).tolist() == [len(gone) // 2] * 2
