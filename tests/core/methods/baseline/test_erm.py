from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from toys import make_task

from core import registry
from core.engine.plan import plan_cohorts
from core.engine.train import train_cohort
from core.types import Budget, MethodSpec, TrainSpec


def test_linear_erm_reaches_the_logistic_regression_of_scikit_learn():
    task, erm, net = make_task(2000), registry.method("erm"), registry.net("linear")
    budget = Budget(iterations=1500, evaluations=1, batch_size=1200, lr=(0.05,), weight_decay=(0.0,))
    spec = TrainSpec((MethodSpec("erm"),), "linear", {}, (0,), budget)
    outcome = train_cohort(task, plan_cohorts(spec, {"erm": erm}, net)[0], erm, net)
    train, test = task.splits.train, task.splits.test
    theirs = LogisticRegression(C=1e9, max_iter=1000).fit(task.x[train], task.y[train])
    np.testing.assert_allclose(outcome.test.score[0], theirs.predict_proba(task.x[test])[:, 1], atol=0.01)
