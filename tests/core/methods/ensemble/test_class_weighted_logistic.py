from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from toys import make_task

from core import registry
from core.engine.looped import fit_rows
from core.types import Rows

METHOD = registry.method("class_weighted_logistic")


def test_class_balance_is_scikit_learns_own():
    task = make_task()
    train = task.splits.train
    mine = METHOD.fit(task, fit_rows(task, Rows()), {"C": 0.5, "balance": "class"}, 0)
    theirs = LogisticRegression(C=0.5, max_iter=500, class_weight="balanced").fit(task.x[train], task.y[train])
    np.testing.assert_allclose(mine(task.x), theirs.predict_proba(task.x), atol=1e-4)


def test_class_balance_is_scikit_learns_own_on_weighted_data():
    task = make_task(weighted=True)
    train = task.splits.train
    mine = METHOD.fit(task, fit_rows(task, Rows()), {"C": 0.5, "balance": "class"}, 0)
    theirs = LogisticRegression(C=0.5, max_iter=500, class_weight="balanced")
    theirs.fit(task.x[train], task.y[train], task.w[train].astype(float))
    np.testing.assert_allclose(mine(task.x), theirs.predict_proba(task.x), atol=1e-4)
