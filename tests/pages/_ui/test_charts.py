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
    assert len(made) == 2 and len(data) == 1 and "datasets" not in spec


def test_every_layer_draws_the_one_frame_whose_name_changes_with_its_content():
    import json

    import altair as alt
    import pandas as pd

    from pages._ui import charts

    def layered(x):
        layers = [alt.Chart(transform=[{"filter": "datum.x > 0"}]).mark_point(), alt.Chart().mark_line()]
        return charts.prepared(alt.layer(*layers, data=pd.DataFrame({"x": [x]})))[1]

    first, other = layered(1), layered(2)
    assert "empty" not in json.dumps(first) and all("data" not in layer for layer in first["layer"])
    assert first["data"] != other["data"] and first["data"] == layered(1)["data"]
