"""Charts on the screen: the height is the plot's own, so that a long legend on a narrow screen does not eat it."""

from __future__ import annotations

from typing import Any

import altair as alt
import streamlit as st

from pages._ui.text import clean

SINGLE = (alt.Chart, alt.LayerChart)


def show(chart: alt.TopLevelMixin, key: str, words: str, **more: Any) -> Any:
    """An Altair chart that keeps its element while its numbers change.

    Args:
        words: one sentence on what it shows, for people who do not see it. more: passed to st.altair_chart.
    """
    if isinstance(chart, SINGLE):
        chart.autosize = alt.AutoSizeParams(type="fit-x", contains="padding")
    with st.container(key=f"wide-{key}"):
        return st.altair_chart(chart, key=key, alt=clean(words, 500), **more)
