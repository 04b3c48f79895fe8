from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toys import make_task

from core import registry
from core.methods.resample.cluster_under import spread, thin
from core.types import BadInput, Splits

METHOD = registry.method("cluster_under")


def line(zero, one):
    """Training rows of class 0 and 1 at these places on a line; the last one serves validation and test too."""
    x, y = np.array([*zero, *one, one[-1], one[-1]], np.float32), np.repeat([0, 1], [len(zero), len(one) + 2])
    n, zeros = len(x) - 2, np.zeros(len(x), np.int64)
    return replace(make_task(60), x=x[:, None], y=y, attr=zeros, w=np.ones(len(x), np.float32),
                   splits=Splits(np.arange(n), np.array([n]), np.array([n + 1])))  # fmt: skip


def made(task, seed=0, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(seed))


def test_quotas_are_equal_until_small_clusters_run_out():
    cluster = np.repeat([0, 1, 2], [20, 2, 8])
    order = np.random.default_rng(0).random(30)
    for goal, counts in ((3, [1, 1, 1]), (6, [2, 2, 2]), (12, [5, 2, 5]), (18, [8, 2, 8]), (25, [15, 2, 8])):
        assert np.bincount(cluster[spread(cluster, order, goal)], minlength=3).tolist() == counts
    assert len(set(spread(cluster, order, 25).tolist())) == 25


def test_with_nearest_the_middle_row_of_each_of_three_clumps_stays():
    task = line([0, 1, 2, 50, 51, 52, 100, 101, 102], [200, 201, 202])
    left = made(task, keep="nearest").index
    assert task.x[left, 0].tolist() == [1, 51, 101, 200, 201, 202]


@pytest.mark.parametrize("keep", ["quota", "nearest"])
@pytest.mark.parametrize("by", ["class", "group"])
def test_cells_become_equal(keep, by):
    task = make_task(900)
    left = made(task, keep=keep, by=by).index
    n = np.bincount((task.y if by == "class" else task.subgroup)[left])
    assert len(set(n)) == 1 and len(np.unique(left)) == len(left) and np.isin(left, task.splits.train).all()
    assert n[0] == np.bincount((task.y if by == "class" else task.subgroup)[task.splits.train]).min()


def test_the_ratio_leaves_more_and_data_in_balance_are_left_alone():
    task = line(np.arange(40.0), np.arange(10.0) + 100)
    assert len(made(task, ratio=0.5).index) == 30 and made(task, ratio=0.25).index is None


def test_more_kinds_of_the_large_class_stay_than_at_random():
    """Forty kinds, half of them with 2 rows and half with 98, thinned to 60 rows."""
    rng = np.random.default_rng(0)
    kind = np.repeat(np.arange(40), np.repeat([2, 98], 20))
    task = line(kind * 10 + rng.normal(0, 0.1, len(kind)), np.arange(60.0) + 1000)
    theirs = registry.method("random_under")
    for seed in range(3):
        mine = made(task, seed).index
        other = theirs.prepare(task, {"ratio": 1.0, "by": "class"}, np.random.default_rng(seed)).index
        kinds = [len(set(kind[i[i < len(kind)]])) for i in (mine, other)]
        assert kinds[0] >= 36 and kinds[1] <= 28


def test_rows_that_are_all_the_same_still_give_the_number_wanted():
    for keep in ("quota", "nearest"):
        kept = thin(np.zeros((30, 2), np.float32), 7, {"keep": keep, "clusters": 5}, np.random.default_rng(0))
        assert len(kept) == 7


def test_weights_are_kept_and_one_class_alone_is_refused():
    task = make_task(900, weighted=True)
    rows = made(task)
    assert (task.w[rows.index] * rows.weight).mean() == pytest.approx(1, abs=1e-6) and np.ptp(rows.weight) < 1e-9
    with pytest.raises(BadInput, match="Cluster undersampling: found one group"):
        made(replace(task, y=np.zeros_like(task.y)))
