from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.over_sampling import SVMSMOTE
from toys import make_task

from core import registry
from core.methods.resample._imblearn import seed_from
from core.types import BadInput

METHOD = registry.method("svm_smote")


def imbalanced():
    task = make_task(900)
    return replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))


def made(task, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(0))


@pytest.mark.parametrize("by", ["class", "group"])
def test_new_rows_are_those_of_imbalanced_learn(by):
    task = imbalanced()
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = SVMSMOTE(random_state=seed_from(np.random.default_rng(0)), k_neighbors=4, m_neighbors=8, out_step=0.3)
    x, y = theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, k=4, m=8, out_step=0.3, by=by)
    assert np.array_equal(rows.x, x[len(train) :])
    mine = rows.y if by == "class" else rows.y * 2 + rows.attr
    assert np.array_equal(mine, y[len(train) :])


def test_classes_become_equal_and_a_lower_ratio_stops_earlier():
    task = imbalanced()
    n = np.bincount(task.y[task.splits.train])
    assert n[1] + len(made(task).y) == n[0]
    assert n[1] + len(made(task, ratio=0.5).y) == round(0.5 * n[0])


def test_without_an_outward_step_safe_support_vectors_are_repeated():
    """Far from the others every support vector is safe."""
    task = imbalanced()
    apart = replace(task, x=(task.x + 100 * task.y[:, None]).astype(np.float32))
    rows, train = made(apart, out_step=0.0), apart.splits.train
    assert (rows.x[:, None] == apart.x[train][None]).all(-1).any(1).all()


def test_support_vectors_among_foreign_rows_alone_are_refused():
    """Rows of the small class lie far from each other, each within a cloud of the large one."""
    task, rng = imbalanced(), np.random.default_rng(0)
    train = task.splits.train[:240]
    centre = np.arange(8) * 50.0
    x = np.concatenate([centre, (centre[:, None] + rng.normal(size=(8, 29))).ravel()])
    alone = replace(task, x=np.zeros((900, 1), np.float32), y=np.zeros(900, np.int64),
                    splits=task.splits._replace(train=train))  # fmt: skip
    alone.x[train, 0], alone.y[train[:8]] = x, 1
    with pytest.raises(BadInput, match="SVM-SMOTE: found only foreign rows"):
        made(alone)


def test_too_few_rows_are_told():
    few = imbalanced()
    few.y[few.splits.train[few.y[few.splits.train] == 1][3:]] = 0
    with pytest.raises(BadInput, match="3 training rows of class 1, allowed is at least 6"):
        made(few)
