from __future__ import annotations

import pytest
from filled import fill

from pages._ui import curves, results, state
from pages._ui.curves import View


@pytest.fixture
def given(folder):
    study = fill(folder)
    runs = results.runs(study)
    return state.task(state.store().study(study).spec), runs, results.histories(study, runs)


def view(**changes):
    return View(**{"models": (), "metric": "accuracy", "by": "attr", "rows": ("val",), "panels": "setting",
                   "marks": True, "groups": ()} | changes)


def test_it_opens_on_the_best_plain_model_and_without_one_on_whatever_came_first(given):
    task, runs, known = given
    assert curves.default_model(task, runs, known) == next(run.key for run in runs if run.method == "erm")
    others = [run for run in runs if run.method == "group_dro"]
    assert curves.default_model(task, others, known) in {run.key for run in others}
    assert curves.default_model(task, others, {}) == others[0].key


def test_only_the_chosen_groups_are_drawn_and_a_measure_between_groups_is_whole(given):
    task, runs, known = given
    first = task.attr_labels[0]
    assert set(curves.lines(task, runs, known, view(), runs)["group"]) == set(task.attr_labels)
    assert set(curves.lines(task, runs, known, view(groups=(first,)), runs)["group"]) == {first}
    assert len(curves.lines(task, runs, known, view(metric="tpr.gap", groups=(first,)), runs)["group"].unique()) == 1
    assert set(curves.lines(task, runs, known, view(metric="loss", by="class"), runs)["group"]) == set(task.classes)


def test_every_rule_stops_somewhere_in_every_setting(given):
    task, runs, known = given
    assert len(curves.stops(task, runs, known, runs)) == 3 * 4
