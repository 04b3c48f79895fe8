from __future__ import annotations

import numpy as np
import pytest
from toys import make_task

from core import registry
from core.methods.two_stage.jtt import upweighted

METHOD = registry.method("jtt")


def test_mistakes_weigh_lambda_times_more_and_the_mean_is_one():
    weight = upweighted(np.array([True, False, False]), 7.0, np.ones(3)).weight
    assert weight[0] / weight[1] == pytest.approx(7) and weight.mean() == pytest.approx(1)
    assert upweighted(np.array([True, False]), 1.0, np.ones(2)).weight.tolist() == [1, 1]


def test_stage_two_learns_from_all_training_rows_with_the_errors_of_stage_one():
    task = make_task(200)
    scores = np.full((200, 2), 0.5)
    scores[:, 1] = task.y  # right everywhere ...
    scores[:, 0] = 1 - task.y
    scores[task.splits.train[:5]] = scores[task.splits.train[:5], ::-1]  # ... but in five training rows
    stage = METHOD.between(task, scores, {"lam": 10.0}, None)
    heavy = stage.rows.weight > 1.5 * stage.rows.weight.min()
    assert stage.fresh == "all" and np.flatnonzero(heavy).tolist() == [0, 1, 2, 3, 4]


def test_with_data_weights_the_mean_of_the_product_is_kept():
    w = np.array([0.1, 1.0, 1.9])
    assert (w * upweighted(np.array([True, False, False]), 50.0, w).weight).mean() == pytest.approx(w.mean())


def test_at_lambda_one_mistakes_weigh_no_more_than_other_rows():
    task = make_task()
    weights = [METHOD.between(task, np.full((600, 2), 0.5), {"lam": v}, None).rows.weight for v in (1.0, 10.0)]
    assert np.allclose(weights[0], 1.0) and not np.allclose(weights[1], 1.0)
