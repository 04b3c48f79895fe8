from __future__ import annotations

import importlib
import pkgutil

import altair as alt
import pandas as pd
import plotly.graph_objects as go
import pytest

import core.figures
from core.checks.figure import CASES, CHECKS, EXAMPLES, failures


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_figure(name, case):
    chart = EXAMPLES[name](case)
    for check in CHECKS.values():
        check(chart)


def test_every_plot_function_has_an_example():
    found = set()
    for module in pkgutil.iter_modules(core.figures.__path__):
        names = vars(importlib.import_module(f"core.figures.{module.name}"))
        found |= {f"{module.name}.{n}" for n, v in names.items()
                  if n.startswith("plot_") and v.__module__ == f"core.figures.{module.name}"}
    assert found == set(EXAMPLES)


@pytest.mark.parametrize("chart, finding", [
    (lambda case: go.Figure(), "quiet_ground"),
    (lambda case: alt.Chart(pd.DataFrame({"a": [1]})).mark_point().encode(x=alt.X("a:Q", title="roc_auc")), "words"),
    (lambda case: 1 / 0, "draws"),
    (lambda case: alt.layer(alt.Chart(pd.DataFrame({"a": [1]})).mark_point().encode(x="a:Q").interactive(),
                            config={"background": "transparent"}), "stable"),
])
def test_a_figure_that_breaks_a_rule_is_caught(chart, finding):
    assert any(f":{finding}:" in found for found in failures("x.plot_x", chart))
