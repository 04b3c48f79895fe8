from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fairlearn.preprocessing import CorrelationRemover
from toys import make_task

from core import registry
from core.methods.represent.correlation_remover import removal
from core.types import Rows

METHOD = registry.method("correlation_remover")


def with_group(groups=2):
    """A task that has its groups among the features, one column for each but the first."""
    task = make_task(900)
    attr = task.attr if groups == 2 else (task.attr + np.random.default_rng(1).integers(0, 2, 900)) % 3
    columns = (attr[:, None] == np.arange(1, groups)).astype(np.float32)
    return replace(task, attr=attr, attr_labels=tuple("abc"[:groups]), x=np.concatenate([columns, task.x], axis=1))


def changed(x, mean, change, alpha=1.0):
    return x - alpha * (x - mean) @ change


def covariance(x, attr, w):
    s = (attr[:, None] == np.unique(attr)).astype(float)
    return np.cov(x.T, s.T, aweights=w)[: x.shape[1], x.shape[1] :]


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("alpha", [1.0, 0.4, 0.0])
def test_it_agrees_with_fairlearn_where_groups_are_features(groups, alpha):
    task = with_group(groups)
    train, test, k = task.splits.train, task.splits.test, groups - 1
    theirs = CorrelationRemover(sensitive_feature_ids=list(range(k)), alpha=alpha).fit(task.x[train])
    mine = changed(task.x, *removal(task.x[train], task.attr[train], np.ones(len(train))), alpha)
    for rows in (train, test):
        assert np.allclose(mine[rows][:, k:], theirs.transform(task.x[rows]), atol=1e-5)
    if alpha == 1:
        assert np.ptp(mine[:, :k], axis=0).max() < 1e-6


@pytest.mark.parametrize("weighted", [False, True])
def test_no_correlation_is_left_where_the_group_must_be_guessed(weighted):
    task = make_task(900, weighted=weighted)
    train = task.splits.train
    x, attr, w = task.x[train].astype(float), task.attr[train], task.w[train].astype(float)
    before = covariance(x, attr, w)
    for alpha in (1.0, 0.3):
        after = covariance(changed(x, *removal(x, attr, w), alpha), attr, w)
        assert np.allclose(after, (1 - alpha) * before, atol=1e-9)
    assert np.abs(before).max() > 0.1


def test_the_change_is_that_of_whitening_projecting_and_unwhitening():
    task = make_task(900)
    train = task.splits.train
    x, attr = task.x[train].astype(float), task.attr[train]
    values, vectors = np.linalg.eigh(np.cov(x.T, bias=True))
    white, back = (vectors * values**p @ vectors.T for p in (-0.5, 0.5))
    towards = white @ covariance(x, attr, None)
    projection = towards @ np.linalg.pinv(towards, rcond=1e-9)
    assert np.allclose(removal(x, attr, np.ones(len(x)))[1].T, back @ projection @ white)


def test_columns_that_repeat_each_other_are_no_trouble():
    task = make_task(900)
    train = task.splits.train
    x = np.concatenate([task.x, task.x[:, :2], 1 - task.x[:, 1:2]], axis=1)[train].astype(float)
    attr = task.attr[train]
    after = changed(x, *removal(x, attr, np.ones(len(x))))
    assert np.abs(covariance(after, attr, None)).max() < 1e-9 and np.isfinite(after).all()


def test_one_group_alone_changes_nothing():
    x = np.random.default_rng(0).normal(size=(30, 3))
    assert np.allclose(removal(x, np.zeros(30, int), np.ones(30))[1], 0)


def test_only_training_rows_shape_it_and_the_gap_between_groups_falls():
    task = with_group()
    train, test = task.splits.train, task.splits.test
    rows = Rows(index=train, weight=np.ones(len(train)))
    other = replace(task, x=task.x.copy())
    other.x[test] += 5

    def gap(alpha):
        share = METHOD.fit(task, rows, {"alpha": alpha, "C": 1.0}, 0)(task.x[test])[:, 1]
        return abs(share[task.attr[test] == 1].mean() - share[task.attr[test] == 0].mean())

    one, two = (METHOD.fit(t, rows, {"alpha": 1.0, "C": 1.0}, 0)(task.x[test]) for t in (task, other))
    assert np.array_equal(one, two) and np.allclose(one.sum(1), 1)
    assert gap(1.0) < 0.1 < 0.3 < gap(0.0)
