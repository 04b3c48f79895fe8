from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.over_sampling import KMeansSMOTE
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from
from core.types import BadInput, Splits

METHOD = registry.method("kmeans_smote")


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
def test_new_rows_are_those_of_imbalanced_learn(by):
    task = clear()
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = KMeansSMOTE(random_state=seed_from(np.random.default_rng(0)), k_neighbors=3, kmeans_estimator=5,
                         cluster_balance_threshold=0.1)  # fmt: skip
    x, y = theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, k=3, clusters=5)
    assert np.array_equal(rows.x, x[len(train) :]) and np.array_equal(rows.index, train)
    mine = rows.y if by == "class" else rows.y * 2 + rows.attr
    assert np.array_equal(mine, y[len(train) :])



def test_only_clusters_in_which_the_class_is_common_are_filled():
    rng = np.random.default_rng(0)
    zero = np.concatenate([rng.normal(0, 1, 30), rng.normal(1000, 1, 60)])
    task = line(zero, np.concatenate([rng.normal(0, 1, 12), rng.normal(1000, 1, 4)]))
    rows = made(task, clusters=2, share=0.2)
    assert 90 - 16 <= len(rows.x) <= 90 - 16 + 2 and np.abs(rows.x).max() < 10 and (rows.y == 1).all()
    assert (made(task, clusters=2, share=0.01).x > 900).any()


def test_a_class_that_is_common_nowhere_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(BadInput, match="K-means SMOTE: found no cluster in which every small class is common"):
        made(line(rng.normal(size=200), rng.normal(size=6)), share=0.5)


def test_equal_rows_too_few_rows_and_too_many_clusters_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(BadInput, match="equal rows alone"):
        made(line(rng.normal(size=20), np.full(6, 50.0)), clusters=1)
    with pytest.raises(BadInput, match="2 training rows of class 1, allowed is at least 3"):
        made(line(rng.normal(size=20), [0.0, 1.0]))
    with pytest.raises(BadInput, match="clusters: found 50, allowed is at most 24"):
        made(line(rng.normal(size=20), np.arange(4.0)), clusters=50)
