from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.over_sampling import SMOTE
from scipy.spatial import ConvexHull
from sklearn.tree import DecisionTreeClassifier
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from
from core.methods.resample.smote_under import wanted_rows
from core.types import BadInput, Splits

METHOD = registry.method("smote_under")


def made(task, seed=0, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(seed))


def simulated(seed, n=2200):
    """Ten to one: the rare class lies in four small clouds amid the common one; the last half is for testing."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 11 == 0).astype(np.int64)
    centre = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])[rng.integers(0, 4, n)]
    x = np.where(y[:, None] == 1, centre + 0.5 * rng.normal(size=(n, 2)), 1.6 * rng.normal(size=(n, 2)))
    rows, zeros = np.arange(n), np.zeros(n, np.int64)
    return replace(make_task(60), x=x.astype(np.float32), y=y, attr=zeros, w=np.ones(n, np.float32),
                   splits=Splits(rows[: n // 2], rows[n // 2 : n // 2 + 1], rows[n // 2 + 1 :]))  # fmt: skip


def hull_area(task, over):
    """Area under the convex hull of the ROC points of trees over the grid of undersampling."""
    test, points = task.splits.test, [(0, 0), (1, 1), (1, 0)]
    for under in (10, 25, 50, 75, 100, 150, 200, 400, 800, 2000):
        rows = made(task, over=over, under=under)
        index = task.splits.train if rows.index is None else rows.index
        x, y = task.x[index], task.y[index]
        if rows.x is not None:
            x, y = np.concatenate([x, rows.x]), np.concatenate([y, rows.y])
        guess = DecisionTreeClassifier(random_state=0, min_samples_leaf=2).fit(x, y).predict(task.x[test])
        points.append((guess[task.y[test] == 0].mean(), guess[task.y[test] == 1].mean()))
    return ConvexHull(np.array(points)).volume


@pytest.mark.parametrize(
    ("n", "over", "under", "wanted"),
    [
        ([200, 50], 0, 200, [25, 50]),  # the example of the paper
        ([500, 50], 200, 100, [150, 150]),
        ([500, 50], 0, 0, [500, 50]),
        ([500, 50], 2000, 0, [500, 500]),
        ([500, 50], 100, 10, [500, 100]),
        ([1000, 900, 50, 40], 100, 50, [160, 160, 100, 80]),
    ],
)
def test_sizes_by_hand(n, over, under, wanted):
    assert wanted_rows(np.array(n), over, under).tolist() == wanted


@pytest.mark.parametrize("by", ["class", "group"])
def test_rows_have_the_sizes_wanted_and_new_ones_are_those_of_smote(by):
    task = make_task(900)
    task = replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    n = np.bincount(cells[train])
    wanted = wanted_rows(n, 150, 80)
    rows = made(task, over=150, under=80, by=by)
    code = rows.y if by == "class" else rows.y * 2 + rows.attr
    assert np.bincount(np.concatenate([cells[rows.index], code])).tolist() == wanted.tolist()
    rng = np.random.default_rng(0)
    rng.permutation(len(train))
    more = {c: wanted[c] for c in np.flatnonzero(wanted > n)}
    x, _ = SMOTE(sampling_strategy=more, random_state=seed_from(rng)).fit_resample(task.x[train], cells[train])
    assert np.array_equal(rows.x, x[len(train) :])


def test_dropped_rows_are_drawn_anew_for_each_seed_and_no_row_is_there_twice():
    task = simulated(0)
    one, two = (made(task, seed, over=0, under=100).index for seed in (0, 1))
    assert np.bincount(task.y[one]).tolist() == [100, 100] and not np.array_equal(one, two)
    assert len(np.unique(one)) == 200 and np.isin(np.flatnonzero(task.y[:1100]), one).all()


def test_with_new_rows_the_hull_reaches_further_than_with_undersampling_alone():
    gains = [hull_area(simulated(s), 300) - hull_area(simulated(s), 0) for s in range(6)]
    assert np.mean(gains) > 0.005


def test_weights_average_to_one_and_too_few_rows_are_told():
    task = replace(simulated(0), w=np.where(simulated(0).y == 1, 0.4, 1.06).astype(np.float32))
    rows = made(task)
    final = rows.weight * np.concatenate([task.w[rows.index], np.ones(len(rows.y))])
    assert final.mean() == pytest.approx(1)
    rare = np.concatenate([task.y[rows.index], rows.y]) == 1
    assert final[~rare][0] / final[rare][0] == pytest.approx(1.06 / 0.4) and np.ptp(final[rare]) < 1e-6
    few = simulated(0)
    few.y[few.splits.train[few.y[few.splits.train] == 1][3:]] = 0
    with pytest.raises(BadInput, match="SMOTE with undersampling: found 3 training rows of class 1"):
        made(few)
