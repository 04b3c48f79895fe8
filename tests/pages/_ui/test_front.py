from __future__ import annotations

from streamlit.testing.v1 import AppTest

from pages._ui.front import MIN_ROWS, View

WORST = "accuracy.worst@subgroup"


def script(classes):
    import streamlit as st
    from toys import make_task

    from core.types import RunRecord
    from pages._ui import front

    runs = [RunRecord("k", "s", "j", "c", 0, "erm", {}, 0, "mlp", "finished")]
    st.session_state["out"] = front.controls(make_task(classes=classes), runs)


def run(classes=2, **address):
    at = AppTest.from_function(script, args=(classes,), default_timeout=20)
    for name, value in address.items():
        at.query_params[name] = value
    at = at.run()
    assert not at.exception
    return at


def test_it_begins_with_accuracy_against_the_worst_group_on_test_rows():
    assert run().session_state["out"] == View("accuracy", WORST, ("test",), (), True, True, MIN_ROWS)


def test_the_address_decides_the_whole_view():
    view = run(x="f1", y="tpr.gap", split="both", methods="erm", intervals="0", baseline="0", min_n="30")
    assert view.session_state["out"] == View("f1", "tpr.gap", ("val", "test"), ("erm",), False, False, 30)


def test_what_is_not_offered_in_the_address_is_the_default():
    view = run(x="'; drop", y="nonsense.gap", split="train", methods="zzz", min_n="-5").session_state["out"]
    assert (view.x, view.y, view.splits, view.methods, view.min_n) == ("accuracy", WORST, ("test",), (), 0)


def test_several_classes_are_offered_what_they_can_be_measured_by():
    options = run(classes=3).selectbox[0].options
    assert options and not any("positive" in option.lower() for option in options)
