from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.under_sampling import ClusterCentroids
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from
from core.types import BadInput, Splits

METHOD = registry.method("cluster_centroids")


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
@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_rows_are_those_of_imbalanced_learn(by, voting):
    task = clear()
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = ClusterCentroids(random_state=seed_from(np.random.default_rng(0)), voting=voting)
    x, y = theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, voting=voting)
    mine = task.x[rows.index] if rows.x is None else np.concatenate([task.x[rows.index], rows.x])
    assert np.allclose(mine[np.lexsort(mine.T)], x[np.lexsort(x.T)])
    code = cells[rows.index]
    if rows.x is not None:
        code = np.concatenate([code, rows.y if by == "class" else rows.y * 2 + rows.attr])
    assert np.array_equal(np.sort(code), np.sort(y))


def test_two_pairs_become_their_centres_by_hand():
    task = line([0, 1, 10, 11], [50, 60])
    rows = made(task)
    assert np.sort(rows.x[:, 0]).tolist() == [0.5, 10.5] and rows.y.tolist() == [0, 0]
    assert task.x[rows.index, 0].tolist() == [50, 60]
    real = task.x[made(task, voting="hard").index, 0].tolist()
    assert real[0] in (0, 1) and real[1] in (10, 11) and real[2:] == [50, 60]


def test_a_centre_takes_weight_and_group_of_the_nearest_row():
    task = line([0, 1, 2, 10, 11, 12], [50, 60])
    task = replace(task, attr=np.array([0, 0, 0, 1, 1, 1, 0, 0, 0, 0]),
                   w=np.array([1, 2, 1, 1, 4, 1, 1, 1, 1, 1], np.float32))  # fmt: skip
    rows = made(task)
    order = np.argsort(rows.x[:, 0])
    assert rows.attr[order].tolist() == [0, 1]
    final = rows.weight * np.concatenate([task.w[rows.index], [1, 1]])
    assert np.allclose(final[:2], 0.5) and np.allclose(final[2:][order], [1, 2])


def test_the_ratio_asks_for_more_centres_and_all_cells_alike_change_nothing():
    assert len(made(line([0, 1, 10, 11], [50, 60]), ratio=2 / 3).x) == 3
    assert made(line([0, 1], [50, 60])).index is None


def test_one_class_alone_is_refused():
    task = line([0, 1], [50, 60])
    with pytest.raises(BadInput, match="Cluster centroids: found one group"):
        made(replace(task, y=np.zeros_like(task.y)))
