from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from filled import texts
from known_runs import make_history, make_run
from streamlit.testing.v1 import AppTest

from core.data.load import default_study
from core.types import MethodSpec, TrainSpec
from pages._ui import front_panel, state


def table(on, knee=None):
    n = len(on)
    return pd.DataFrame({"title": [f"M{i}" for i in range(n)], "settings": ["η = 1"] * n, "on_front": on,
                         "knee": [i == knee for i in range(n)]})


def test_the_front_is_told_with_its_knee():
    assert front_panel.standing(table([True, False, True], knee=2)) == (
        "2 of 3 settings are on the front; beyond its knee, M2 (η = 1), a gain costs more.")


def test_one_point_is_a_front_and_none_is_told_by_silence():
    assert front_panel.standing(table([True, False])) == "1 of 2 settings is on the front."
    assert front_panel.standing(table([False])) == "" and front_panel.standing(table([])) == ""


@pytest.fixture
def known(folder):
    """A study of three settings, 100 rows a cell, whose rates are set by hand (10 fewer right on test rows)."""
    store = state.store()
    study = store.create_study(default_study("german_credit"))
    job = store.add_job(study, TrainSpec((MethodSpec("erm"),)))
    made = [("erm", 0, {}), ("erm", 1, {}), ("group_dro", 0, {"eta": 0.1}), ("group_dro", 0, {"eta": 0.9})]
    store.add_runs([replace(make_run(k, method, seed, **settings), study=study, job=job)
                    for k, (method, seed, settings) in enumerate(made)])
    right = [[[90, 70], [80, 60]], [[90, 80], [90, 80]], [[75, 75], [75, 75]], [[70, 50], [70, 70]]]
    store.put_history("c", make_history(np.array([right])))
    store.put_job(replace(store.job(job), state="finished"))
    return study


def script(study, splits, what, run):
    from pages._ui import front_data, front_panel, query, state
    from pages._ui.front import View

    if run:
        query.put("run", run)
    view = View("accuracy", "accuracy.worst@subgroup", tuple(splits), (), True, False, 0)
    now = front_data.read(study, state.task(state.store().study(study).spec), view)
    for split in splits:
        if what == "numbers":
            front_panel.numbers(now.tables[split], view, split)
    if what == "fronts":
        front_panel.fronts(now, view)


def drawn(study, what, *splits, run=""):
    at = AppTest.from_function(script, args=(study, splits, what, run), default_timeout=30).run()
    assert not at.exception
    return at


def test_the_numbers_are_the_means_over_seeds_on_the_rows_shown(known):
    at = drawn(known, "numbers", "val")
    shown = at.dataframe[0].value
    assert "The numbers, on validation rows" in texts(at) and shown["n_seeds"].tolist() == [2, 1, 1]
    assert shown["x"].tolist() == pytest.approx([0.80, 0.75, 0.65])  # ERM: 300 and 340 right of 400
    assert shown["y"].tolist() == pytest.approx([0.70, 0.75, 0.50])  # ERM: worst cells 60 and 80 of 100
    assert shown["on_front"].tolist() == [True, True, False]
    assert shown["settings"].tolist() == ["default settings", "η = 0.1", "η = 0.9"]
    assert (shown["x_low"] < shown["x"]).all() and (shown["x"] < shown["x_high"]).all()
    assert drawn(known, "numbers", "test").dataframe[0].value["x"].tolist() == pytest.approx([0.70, 0.65, 0.55])


def test_the_download_holds_the_numbers_with_their_measures(known):
    kept = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(front_panel.tables, "download", lambda frame, name, key: kept.update({name: frame}))
        drawn(known, "numbers", "test")
    frame = kept["front-test"]
    assert set(frame["split"]) == {"test"} and set(frame["y_measure"]) == {"accuracy.worst@subgroup"}
    assert frame["y"].tolist() == pytest.approx([0.60, 0.65, 0.40])


def test_the_hypervolume_is_what_each_methods_points_cover(known):
    at = drawn(known, "numbers", "val")
    covered = at.dataframe[1].value.set_index("title")  # the box is 0.65 to 0.80 by 0.50 to 0.75
    assert covered["n_settings"].to_dict() == {"ERM (plain training)": 1, "Group DRO": 2}
    assert covered.loc["ERM (plain training)", "hypervolume"] == pytest.approx(0.20 / 0.25)
    assert covered.loc["Group DRO", "hypervolume"] == pytest.approx(0.10 / 0.15)
    assert "Hypervolume by method" in texts(at)


def test_there_is_one_chart_a_split_with_the_answer_for_those_who_do_not_see_it(known):
    at = drawn(known, "fronts", "val", "test")
    charts = at.get("vega_lite_chart")
    assert len(charts) == 2 and "On validation rows" in texts(at) and "On test rows" in texts(at)
    assert [c.proto.alt.split(".")[0] for c in charts] == [
        "Trade-off front on validation rows", "Trade-off front on test rows"]
    assert len(drawn(known, "fronts", "test").get("vega_lite_chart")) == 1


def test_a_click_selects_only_where_a_point_was_measured(known):
    assert drawn(known, "fronts", "test").get("vega_lite_chart")[0].proto.selection_mode
    empty = state.store().create_study(state.store().study(known).spec)
    assert not drawn(empty, "fronts", "test").get("vega_lite_chart")[0].proto.selection_mode


@pytest.mark.parametrize(("run", "place"), [("c1", 0), ("c3", 2), ("gone", None), ("", None)])
def test_the_setting_of_the_run_in_the_address_is_marked(known, monkeypatch, run, place):
    seen = []
    real = front_panel._chart
    monkeypatch.setattr(front_panel, "_chart", lambda table, **more: seen.append((table, more)) or real(table, **more))
    drawn(known, "fronts", "test", run=run)
    (table, more), = seen
    assert more["selected"] == ([] if place is None else [table["id"][place]])
    assert more["order"] == ["erm", "group_dro"] and more["baseline"] is None
