from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from toys import make_task

from core import registry
from core.types import Budget, MethodSpec, TrainSpec
from pages._ui import budget


def script(lr):
    import streamlit as st
    from toys import make_task

    from core.types import Budget, MethodSpec, TrainSpec
    from pages._ui import budget

    start = TrainSpec((), seeds=(4, 5), budget=Budget(iterations=70, lr=lr))
    st.session_state["out"] = budget.form("k", make_task(), start, (MethodSpec("erm"),))


def run(lr=(0.01, 0.1)):
    return AppTest.from_function(script, args=(lr,), default_timeout=20).run()


def test_the_form_returns_the_training_it_began_with():
    at = run()
    train = at.session_state["out"]
    assert not at.exception
    assert train == TrainSpec((MethodSpec("erm"),), "mlp", {"hidden": 64, "depth": 1}, (4, 5),
                              Budget(iterations=70, lr=(0.01, 0.1)))


def test_a_refused_value_gives_no_training_and_one_sentence():
    at = run()
    next(t for t in at.text_input if t.key == "k:lr:list").set_value("0.1, -3").run()
    assert at.session_state["out"] is None and len(at.error) == 1


def test_passes_over_the_rows_are_told_beside_the_iterations():
    said = " ".join(c.value for c in run().caption)
    assert "70 iterations of 256 rows" in said and "passes" in said


def test_image_networks_are_offered_for_images_only():
    options = next(s for s in run().selectbox if s.key == "k:net").options
    assert options == [net.title for net in registry.nets().values() if not net.images_only]
    assert not any("onvolution" in option for option in options)


@pytest.mark.parametrize(("rows", "iterations"), [(100, 300), (6_000, 500), (1_000_000, 1000)])
def test_the_first_budget_follows_the_number_of_rows(rows, iterations):
    task = make_task()
    task = replace(task, splits=task.splits._replace(train=np.arange(rows)))
    assert budget.first(task) == Budget(iterations=iterations)


def test_this_machine_offers_a_processor_and_the_fastest():
    assert budget.devices()[:2] == ["auto", "cpu"]
