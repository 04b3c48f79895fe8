from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.under_sampling import InstanceHardnessThreshold
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from
from core.types import BadInput, Splits

METHOD = registry.method("instance_hardness")


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


@pytest.mark.parametrize("by", ["class", "group"])
def test_rows_left_are_those_of_imbalanced_learn(by):
    task = clear()
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = InstanceHardnessThreshold(random_state=seed_from(np.random.default_rng(0)), cv=3)
    theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, folds=3)
    assert np.array_equal(rows.index, train[np.sort(theirs.sample_indices_)]) and rows.x is None
    assert 0 < len(rows.index) < len(train)



def test_a_row_amid_the_other_class_goes_first():
    task = line([*np.arange(20.0), 100.05], np.arange(10) / 10 + 99.6)
    left = made(task).index
    large = task.x[left[task.y[left] == 0], 0]
    assert large.max() < 20 and len(large) >= 10 and (task.y[left] == 1).sum() == 10


def test_fewer_rows_than_folds_are_refused():
    with pytest.raises(BadInput, match="hardness threshold: found 4 training rows of class 1, allowed is at least 5"):
        made(line(np.arange(20.0), np.arange(4.0)))


def test_weights_are_kept_and_average_to_one():
    task = make_task(900, weighted=True)
    rows = made(task)
    assert (task.w[rows.index] * rows.weight).mean() == pytest.approx(1, abs=1e-6) and np.ptp(rows.weight) < 1e-9
