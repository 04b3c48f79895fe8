from __future__ import annotations

import pytest
from filled import fill, texts

from core.data.load import default_study
from pages._ui import results, run_picker, state


@pytest.fixture
def runs(folder):
    return results.runs(fill(folder))


def test_a_setting_is_its_seeds_and_is_known_by_its_first_run(runs):
    found = run_picker.settings(runs)
    assert [len(group) for group in found.values()] == [2, 2, 2, 2]
    for first, group in found.items():
        assert first == group[0].key and len({run.setting_key for run in group}) == 1
        assert {run_picker.first_of(runs, run.key) for run in group} == {first}
    assert run_picker.first_of(runs, "zzz") == ""


def test_models_are_named_by_what_sets_them_apart(runs):
    names = run_picker.names(runs)
    assert set(names.values()) == {"ERM (plain training), default settings", "Group DRO, η = 0.01",
                                   "Group DRO, η = 0.5", "Group thresholds (exact), default settings"}
    spoken = {run_picker.spoken(runs, run) for run in runs}
    assert {"ERM (plain training)", "Group DRO (η = 0.5)"} <= spoken


@pytest.mark.parametrize("screen", ["tradeoffs", "curves", "thresholds"])
def test_a_number_to_predict_is_sent_to_the_page_that_makes_classes_of_it(app, screen):
    study = state.store().create_study(default_study("communities_crime"))
    at = app(screen, study=study)
    assert not at.exception and "Models are trained on classes so far" in texts(at)
    at.button(key="empty:number").click().run()
    assert at.title[0].value == "What should be tried?"
