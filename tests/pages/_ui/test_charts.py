from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest


def script(several):
    import altair as alt
    import pandas as pd

    from pages._ui import charts

    data = pd.DataFrame({"x": [1, 2], "g": ["a", "b"]})
    chart = alt.Chart(data, height=100).mark_point().encode(x="x:Q")
    charts.show(lambda: chart.facet("g:N") if several else chart, "here", "Two\npoints")


def spec(several):
    at = AppTest.from_function(script, args=(several,), default_timeout=20).run()
    assert not at.exception
    return json.loads(at.get("vega_lite_chart")[0].proto.spec)


def test_the_height_is_the_plots_own_and_the_width_that_of_the_page():
    assert spec(False)["autosize"] == {"type": "fit-x", "contains": "padding"}


def test_small_multiples_keep_their_own_sizes():
    assert spec(True)["autosize"]["type"] != "fit-x"


def test_a_chart_is_not_made_again_while_nothing_changed():
    import altair as alt
    import pandas as pd

    from pages._ui import charts

    made = []

    def make():
        made.append(1)
        return alt.Chart(pd.DataFrame({"x": [1]})).mark_point().encode(x="x:Q")

    for same in ("one", "one", "two"):
        data, spec = charts._kept(same, make)
    assert len(made) == 2 and len(data) == 1 and not {"data", "datasets"} & set(spec)
