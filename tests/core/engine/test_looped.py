from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from toys import NET, cohort_for

from core.engine.looped import fit_rows
from core.engine.train import train_cohort
from core.types import Param, Rows


def fit(task, rows, hp, seed):
    model = LogisticRegression(C=hp["C"]).fit(task.x[rows.index], task.y[rows.index], rows.weight)
    return model.predict_proba


def test_a_scikit_learn_method_is_fitted_run_by_run_and_measured_like_the_others(task, erm):
    method = replace(erm, fit=fit, params=(Param("C", 1.0, 1e-4, 1e4, log=True),))
    cohort = cohort_for(method, seeds=(0,), C=(0.01, 1.0))
    outcome = train_cohort(task, cohort, method, NET)
    train, test = task.splits.train, task.splits.test
    mine = LogisticRegression(C=1.0).fit(task.x[train], task.y[train]).predict_proba(task.x[test])[:, 1]
    np.testing.assert_allclose(outcome.test.score[1], mine, atol=1e-5)
    hits = np.trace(outcome.history.counts[-1, 2, 1].sum(0))
    assert hits == ((mine >= 0.5) == task.y[test]).sum() and outcome.weights == {}


def test_cancel_between_two_fits_keeps_the_finished_one(task, erm):
    method = replace(erm, fit=fit, params=(Param("C", 1.0, 1e-4, 1e4, log=True),))
    asked = iter(range(10))
    outcome = train_cohort(
        task, cohort_for(method, seeds=(0,), C=(0.01, 1.0)), method, NET, cancelled=lambda: next(asked) >= 1
    )
    assert outcome.state == "cancelled"
    assert np.isfinite(outcome.history.counts[0, 2, 0]).all() and np.isnan(outcome.history.counts[0, 2, 1]).all()


def test_rows_reach_fit_with_index_and_weights_filled_in(task):
    filled = fit_rows(task, Rows(weight=np.full(len(task.splits.train), 3.0)))
    assert np.array_equal(filled.index, task.splits.train) and (filled.weight == 3).all()


def test_a_predict_that_asks_for_groups_is_told_them(task, erm):
    def grouped(task, rows, hp, seed):
        return lambda x, attr: np.stack([0.75 - 0.5 * attr, 0.25 + 0.5 * attr], 1)

    outcome = train_cohort(task, cohort_for(replace(erm, fit=grouped), seeds=(0,)), replace(erm, fit=grouped), NET)
    assert np.allclose(outcome.test.score[0], 0.25 + 0.5 * task.attr[task.splits.test])
