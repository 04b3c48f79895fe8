"""The catalogue of methods: searched, filtered, checked here and now, and tried with one click."""

from __future__ import annotations

import time

import pytest
from filled import fill, texts

from core import registry
from pages._ui import state


def titles(at):
    return {s.value.replace("\\", "").replace("\u2060", "") for s in at.subheader}


def test_every_method_of_the_registry_has_a_card(app):
    at = app("methods")
    assert not at.exception and titles(at) == {m.title for m in registry.methods().values()}
    assert "Open a study with classes" in texts(at)


def test_words_family_and_what_is_seen_narrow_the_list(app):
    at = app("methods", family="robust")
    assert "Group DRO" in titles(at) and "Focal loss" not in titles(at)
    at = app("methods", sight="blind")
    assert "Group DRO" not in titles(at) and "ERM (plain training)" in titles(at)
    at.text_input(key="methods:search").set_value("sagawa").run()
    assert titles(at) == set() and "No method fits" in texts(at)
    at = app("methods")
    at.text_input(key="methods:search").set_value("sagawa").run()
    assert titles(at) == {"Group DRO"}


@pytest.mark.parametrize("name", ["focal"])
def test_checks_are_run_when_asked_for(app, name):
    at = app("methods")
    at.session_state[f"more-{name}"] = True
    at.run()
    at.session_state[f"more-{name}"] = True  # the test runner forgets what a window remembers
    at.button(key=f"check:{name}").click().run(timeout=120)
    assert not at.exception and "checks hold" in at.success[0].value


def test_one_click_trains_it_beside_plain_training_and_opens_the_front(app, folder):
    study = fill(folder)
    at = app("methods", study=study)
    before = len(state.store().runs(study))
    at.button(key="try:focal").click().run()
    assert not at.exception and at.title[0].value == "Which models are worth choosing?"
    job = state.store().jobs(study)[-1]
    spec = state.store().job_spec(max(state.store().jobs(study), key=lambda j: j.created).id)
    assert [m.name for m in spec.methods] == ["erm", "focal"] and len(spec.seeds) == 3 and job
    for live in state.jobs().live():
        state.jobs().cancel(live.id)
    until = time.monotonic() + 60
    while state.jobs().live() and time.monotonic() < until:
        time.sleep(0.05)
    assert len(state.store().runs(study)) >= before
