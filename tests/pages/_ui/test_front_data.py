from __future__ import annotations

import numpy as np
import pytest
from filled import fill

from pages._ui import front_data, state
from pages._ui.front import View

VIEW = View("accuracy", "accuracy.worst@subgroup", ("val", "test"), (), True, True, 0)


@pytest.fixture
def study(folder):
    return fill(folder)


def read(study, **changes):
    task = state.task(state.store().study(study).spec)
    return front_data.read(study, task, View(**{**VIEW.__dict__, **changes}))


def test_both_splits_have_a_point_for_each_setting_with_intervals(study):
    now = read(study)
    assert set(now.tables) == {"val", "test"} and now.order == ["erm", "group_dro", "group_thresholds"]
    for table in now.tables.values():
        assert len(table) == 4 and np.isfinite(table[["x", "x_low", "y", "y_high"]].to_numpy(float)).all()


def test_validation_rows_choose_even_where_they_are_not_shown(study):
    now = read(study, splits=("test",))
    assert "val" in now.tables and set(now.behind) == {"test"}
    assert now.tables["val"]["x_low"].isna().all() and now.tables["test"]["x_low"].notna().all()
    assert "chosen on validation rows" in now.answer or "better than plain training" in now.answer


def test_what_thresholds_alone_reach_lies_behind_the_points_unless_it_is_turned_off(study):
    behind = read(study).behind["test"]
    assert set(behind["label"]) == {"one threshold for everybody", "a threshold for each group"}
    assert read(study, baseline=False).behind == {"val": None, "test": None}


def test_only_the_chosen_methods_are_read_and_all_keep_their_place(study):
    now = read(study, methods=("group_dro",))
    assert {run.method for run in now.runs} == {"group_dro"} and now.order[0] == "erm"
    assert "Train ERM as well" in now.answer and now.behind["test"] is None


def test_a_study_without_runs_has_nothing_measured(study):
    for run in state.store().runs(study):
        assert run
    empty = state.store().create_study(state.store().study(study).spec)
    now = read(empty)
    assert now.runs == [] and now.answer == "Nothing has been measured yet." and now.tables["test"].empty


def test_differences_of_finished_runs_are_drawn_once_however_the_study_grows(study, monkeypatch):
    before = read(study)
    monkeypatch.setattr(front_data, "differences", lambda *_: pytest.fail("drawn again"))
    state.store().rename_study(study, "the study moves on")
    again = read(study)
    assert again.version != before.version and again.answer == before.answer
