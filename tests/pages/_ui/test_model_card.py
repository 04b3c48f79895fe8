from __future__ import annotations

import numpy as np
import pandas as pd
from filled import texts
from streamlit.testing.v1 import AppTest

from pages._ui.front import View
from pages._ui.model_card import facts

VIEW = View("accuracy", "selection_rate.gap", ("test",), (), True, True, 0)


def said(**changes):
    row = {"x": 0.85, "y": 0.123, "n_seeds": 3, "on_front": True, "front_share": 0.4, "diverged": 0} | changes
    return facts(pd.Series(row), VIEW, "test").replace("\\", "").replace("\u2060", "")


def test_a_model_is_told_by_both_measures_and_how_sure_its_place_is():
    text = said()
    assert "Demographic parity gap **12.3 %**, Accuracy **85.0 %** on test rows, mean of 3 seeds." in text
    assert "On the front, and in 40 % of bootstrap worlds." in text


def test_diverged_seeds_and_undefined_values_are_named():
    assert "1 run diverged and is left out" in said(diverged=1)
    assert "**undefined**" in said(y=np.nan) and "Not on the front." in said(on_front=False, front_share=np.nan)


def script(right, method, classes):
    """The card of two seeds whose numbers of right rows of 100 a cell are `right`."""
    from dataclasses import replace

    import pandas as pd
    import streamlit as st
    from known_runs import GROUPS, make_history, make_run
    from toys import make_task

    from pages._ui import model_card
    from pages._ui.front import View

    st.session_state["open_study"] = "abc"
    task = replace(make_task(60, classes=classes), attr_labels=GROUPS)
    row = pd.Series({"title": "A *title*", "settings": "η = 0.5", "x": 0.7, "y": 0.6, "n_seeds": 2, "on_front": True,
                     "front_share": 0.5, "diverged": 0})
    known = {} if right is None else {"c": make_history([right])}
    view = View("accuracy", "accuracy.worst@subgroup", ("test",), (), True, True, 0)
    model_card.show(task, [make_run(0, method), make_run(1, method, 1)], known, row, view, "test")


def card(right=(((90, 70), (80, 60)), ((90, 90), (80, 80))), method="group_dro", classes=2):
    at = AppTest.from_function(script, args=(right, method, classes), default_timeout=20).run()
    assert not at.exception
    return at


def test_the_card_is_headed_by_the_setting_as_text():
    at = card()
    assert "A *title*: η = 0.5" in texts(at) and "A *title*" not in at.subheader[0].value
    assert "Worst-group accuracy" in texts(at) and "60.0 %" in texts(at) and "mean of 2 seeds" in texts(at)


def test_the_rates_of_every_group_are_the_mean_of_the_seeds_with_wilson_intervals():
    shown = card().dataframe[0].value.set_index("group")  # test: women 80, 60 and 80, 80 of 100; men 70, 50 and 70, 70
    assert shown.index.tolist()[:3] == ["women", "men", "everyone"] and shown["n"].tolist()[:3] == [200, 200, 400]
    assert shown.loc["women", "accuracy"] == "75.0 % (68.6–80.5)"  # 150 of 200
    assert shown.loc["men", "accuracy"] == "65.0 % (58.2–71.3)"  # 130 of 200
    assert shown.loc["everyone", "accuracy"].startswith("70.0 % (65.3–74.3")  # 280 of 400
    assert shown.loc["women", "tpr"] == "70.0 % (60.4–78.1)" and shown.loc["men", "fpr"] == "30.0 % (21.9–39.6)"
    assert shown.loc["gap", "accuracy"].startswith("10.0 %")
    assert shown.loc["ratio", "accuracy"].startswith("0.87")  # 65 / 75


def test_the_card_leads_to_the_same_model_elsewhere():
    links = {link.proto.label: link.proto for link in card().get("page_link")}
    assert set(links) == {"Learning curves", "Thresholds"} and not links["Thresholds"].disabled
    for link in links.values():
        assert "run=c0" in link.query_string and "study=abc" in link.query_string
    many = {link.proto.label: link.proto for link in card(None, classes=3).get("page_link")}
    assert many["Thresholds"].disabled and not many["Learning curves"].disabled


def test_a_method_tells_where_it_is_known_to_fail():
    assert "Known failures of Group DRO." in texts(card()) and "use weight decay" in texts(card())
    assert "Known failures" not in texts(card(method="gone"))


def test_a_model_that_is_not_measured_yet_has_no_table():
    at = card(None)
    assert not at.dataframe and "By group" not in texts(at) and at.get("page_link")
