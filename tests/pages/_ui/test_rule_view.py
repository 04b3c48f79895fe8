from __future__ import annotations

import numpy as np
import pytest
from filled import fill

from core.figures.thresholds import RATES
from pages._ui import results, rule_view, state


@pytest.fixture
def given(folder):
    study = fill(folder)
    run = results.runs(study)[0]
    return state.task(state.store().study(study).spec), results.cohort_scores(run.cohort, "test", (run.position,))


def test_a_rule_is_measured_for_every_group_and_everyone(given):
    task, scores = given
    found = rule_view.numbers(scores, np.array([0.5, 0.5]), task.attr_labels)
    assert found["group"].tolist()[:2] == list(task.attr_labels) and found["n"][2] == len(scores.y)
    assert {f"{name}_low" for name in RATES} <= set(found.columns)


def test_a_line_that_selects_nobody_leaves_precision_undefined(given):
    task, scores = given
    found = rule_view.numbers(scores, np.array([np.inf, np.inf]), task.attr_labels)
    assert (found["selection_rate"][:3] == 0).all() and found["ppv"][:3].isna().all()
