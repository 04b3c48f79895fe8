"""Charts on the screen: the height is the plot's own, so that a long legend on a narrow screen does not eat it.

A chart is handed over as a specification and a frame: checking it against the schema on every poll would cost more than
everything else (the figures' tests check it).
"""

from __future__ import annotations

from typing import Any

import altair as alt
import streamlit as st

from pages._ui.text import clean

SINGLE = (alt.Chart, alt.LayerChart)


def show(chart: Any, key: str, words: str, **more: Any) -> Any:
    """An Altair chart, made of one frame, that keeps its element while its numbers change.

    Args:
        words: one sentence on what it shows, for people who do not see it. more: passed to st.vega_lite_chart.
    """
    if isinstance(chart, SINGLE):
        chart.autosize = alt.AutoSizeParams(type="fit-x", contains="padding")
    data, chart.data = chart.data, alt.Undefined
    spec = chart.to_dict(validate=False)
    for name in ("continuousWidth", "continuousHeight"):  # Altair's own theme; the page decides
        spec.get("config", {}).get("view", {}).pop(name, None)
    with st.container(key=f"wide-{key}"):
        return st.vega_lite_chart(data, spec, key=key, alt=clean(words, 500), **more)
