from __future__ import annotations

from dataclasses import replace

import numpy as np
from toys import NET, cohort_for

from core.engine.train import train_cohort
from core.types import Param, Rule


def test_rules_are_chosen_on_validation_rows_alone(task, erm):
    seen = []

    def decide(scores, attr, y, w, hp):
        seen.append((scores, attr, y, w))
        return Rule(np.array([0.3, 0.7]))

    method = replace(erm, decide=decide, params=(Param("bound", 0.1, 0.0, 1.0, stage="decide"),))
    outcome = train_cohort(task, cohort_for(method, seeds=(0,)), method, NET)
    scores, attr, y, w = seen[0]
    assert np.array_equal(y, task.y[task.splits.val]) and np.array_equal(attr, task.attr[task.splits.val])
    assert np.allclose(scores, outcome.val.score[0])
    chosen = outcome.test.score[0] >= np.array([0.3, 0.7])[outcome.test.attr]
    counted = outcome.history.counts[-1, 2, 0, :, :, 1].sum()
    assert counted == chosen.sum()
