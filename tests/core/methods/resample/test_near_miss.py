from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.under_sampling import NearMiss
from toys import make_task

from core import registry
from core.types import BadInput, Splits

METHOD = registry.method("near_miss")


def imbalanced():
    task = make_task(900)
    return replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))


def line(zero, one):
    """Training rows of class 0 and 1 at these places on a line; the last one serves validation and test too."""
    x, y = np.array([*zero, *one, one[-1], one[-1]], np.float32), np.repeat([0, 1], [len(zero), len(one) + 2])
    n, zeros = len(x) - 2, np.zeros(len(x), np.int64)
    return replace(make_task(60), x=x[:, None], y=y, attr=zeros, w=np.ones(len(x), np.float32),
                   splits=Splits(np.arange(n), np.array([n]), np.array([n + 1])))  # fmt: skip


def made(task, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(0))


@pytest.mark.filterwarnings("ignore:The number of the samples")
@pytest.mark.parametrize("by", ["class", "group"])
@pytest.mark.parametrize("version", ["1", "2", "3"])
def test_rows_left_are_those_of_imbalanced_learn(by, version):
    task = make_task(900)
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = NearMiss(version=int(version), n_neighbors=4, n_neighbors_ver3=2)
    theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, version=version, k=4, m=2)
    assert np.array_equal(rows.index, train[np.sort(theirs.sample_indices_)]) and rows.x is None
    assert 0 < len(rows.index) < len(train)



@pytest.mark.parametrize(("version", "kept"), [("1", [1, 3]), ("2", [3, 6]), ("3", [1, 6])])
def test_four_rows_beside_two_by_hand(version, kept):
    """To the nearest of 0 and 10: 1, 3, 4, 10; to the farthest: 9, 7, 6, 20; nearest to 0 is 1, to 10 is 6."""
    task = line([1, 3, 6, 20], [0, 10])
    left = made(task, version=version, k=1, m=1).index
    assert task.x[left[task.y[left] == 0], 0].tolist() == kept and (task.y[left] == 1).sum() == 2


def test_the_ratio_leaves_more_of_the_large_class():
    assert len(made(line([1, 3, 6, 20], [0, 10]), ratio=2 / 3, k=1).index) == 5


def test_all_seeds_agree_and_weights_are_kept():
    task = make_task(weighted=True)
    rows = made(task)
    assert np.array_equal(rows.index, METHOD.prepare(
        task, {p.name: p.default for p in METHOD.params}, np.random.default_rng(1)).index)  # fmt: skip
    final = task.w[rows.index] * rows.weight
    assert final.mean() == pytest.approx(1, abs=1e-6) and np.ptp(rows.weight) < 1e-9


def test_a_smallest_class_with_fewer_rows_than_neighbours_is_refused():
    with pytest.raises(BadInput, match="NearMiss: found 2 training rows of class 1, allowed is at least 3"):
        made(line([1, 3, 6, 20], [0, 10]))
    with pytest.raises(BadInput, match="4 training rows of class 0, allowed is at least 5, as many as"):
        made(line([1, 3, 6, 20], [0, 10]), k=1, m=5, version="3")
