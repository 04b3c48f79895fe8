from __future__ import annotations

import pytest
from filled import fill, texts
from streamlit.testing.v1 import AppTest

from core.data.load import default_study
from core.types import JobSnapshot
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


def choose_setting(study, default, none):
    import streamlit as st

    from pages._ui import results, run_picker

    found = results.runs(study)
    st.session_state["out"] = run_picker.pick_setting("Model", found, default or found[0].key, none=none)


def choose_run(study):
    import streamlit as st

    from pages._ui import results, run_picker

    found = results.runs(study)
    st.session_state["out"] = run_picker.pick_run("Run", found, found[1].key)


def wait(study):
    import streamlit as st

    from pages._ui import run_picker

    run_picker.nothing_yet(study, "Curves")
    st.write("the page goes on")


def opened(script, *args, **query):
    at = AppTest.from_function(script, args=args, default_timeout=20)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def asked(at):
    return at.query_params["run"]


def test_each_setting_is_offered_once_and_the_address_holds_the_default(runs):
    at = opened(choose_setting, runs[0].study, "", "")
    assert at.selectbox[0].options == ["ERM (plain training), default settings", "Group DRO, η = 0.01",
                                       "Group DRO, η = 0.5", "Group thresholds (exact), default settings"]
    assert at.session_state["out"] == runs[0].key and asked(at) == runs[0].key


def test_a_chosen_setting_goes_into_the_address(runs):
    at = opened(choose_setting, runs[0].study, "", "")
    third = list(run_picker.settings(runs))[2]
    at.selectbox[0].set_value(third).run()
    assert at.session_state["out"] == third and asked(at) == third


def test_a_link_to_a_later_seed_opens_its_setting(runs):
    first, group = list(run_picker.settings(runs).items())[1]
    at = opened(choose_setting, runs[0].study, "", "", run=group[1].key)
    assert at.session_state["out"] == first != group[1].key and asked(at) == first


def test_a_link_to_a_run_that_is_gone_opens_the_default(runs):
    last = list(run_picker.settings(runs))[3]
    for none in ("", "None of them"):
        at = opened(choose_setting, runs[0].study, last, none, run="gone")
        assert at.session_state["out"] == last and asked(at) == last


def test_no_model_can_be_a_choice_of_its_own(runs):
    at = opened(choose_setting, runs[0].study, "", "None of them")
    assert at.selectbox[0].options[0] == "None of them" and len(at.selectbox[0].options) == 5
    at.selectbox[0].set_value("").run()
    assert at.session_state["out"] == ""


def test_single_runs_are_told_apart_by_their_seed(runs):
    at = opened(choose_run, runs[0].study)
    assert len(at.selectbox[0].options) == len(runs) == 8
    assert {"Group DRO, η = 0.5, seed 0", "Group DRO, η = 0.5, seed 1"} <= set(at.selectbox[0].options)
    assert at.session_state["out"] == runs[1].key
    again = opened(choose_run, runs[0].study, run=runs[5].key)
    assert again.session_state["out"] == runs[5].key and asked(again) == runs[5].key


def test_a_page_without_runs_offers_to_train_unless_a_training_is_on_its_way(folder, monkeypatch):
    at = opened(wait, "s")
    assert "Curves appear here as soon as the first models are measured" in texts(at)
    assert at.button(key="empty:runs") and "the page goes on" not in texts(at)
    monkeypatch.setattr(run_picker.progress, "snapshots", lambda study: [JobSnapshot("j", study, "running")])
    at = opened(wait, "s")
    assert "Nothing has been trained yet" not in texts(at) and "the page goes on" in texts(at)
