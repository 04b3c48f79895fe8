"""Charts on the screen: the height is the plot's own, so that a long legend on a narrow screen does not eat it.

A chart is handed over as a specification and a frame: checking it against the schema on every poll would cost more than
everything else (the figures' tests check it). What has not changed is not built again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from pages._ui.text import clean

SINGLE = (alt.Chart, alt.LayerChart)


Parts = tuple[pd.DataFrame, dict[str, Any]]


def show(make: Callable[[], Any], key: str, words: str, *, same: str = "", **more: Any) -> Any:
    """An Altair chart, made of one frame, that keeps its element while its numbers change.

    Args:
        make: makes the chart, or its frame and the specification that draws it.
        words: one sentence on what it shows, for people who do not see it.
        same: names everything the chart depends on; with the same name it is not made again. "": always make it.
        more: passed to st.vega_lite_chart.
    """
    data, spec = _kept(same, make) if same else prepared(make())
    spec = {**deepcopy(spec), "datasets": {spec["data"]["name"]: data}}
    with st.container(key=f"wide-{key}"):
        return st.vega_lite_chart(spec, key=key, alt=clean(words, 500), **more)


def prepared(chart: Any) -> Parts:
    """The chart's frame, and the specification that knows it by a name which changes with its content."""
    if isinstance(chart, tuple):
        data, spec = chart
        return data, {**spec, "data": {"name": _name(data)}, "autosize": {"type": "fit-x", "contains": "padding"}}
    if isinstance(chart, SINGLE):
        chart.autosize = alt.AutoSizeParams(type="fit-x", contains="padding")
    data = chart.data
    chart.data = alt.NamedData(name=_name(data))
    spec = chart.to_dict(validate=False)
    for name in ("continuousWidth", "continuousHeight"):  # Altair's own theme; the page decides
        spec.get("config", {}).get("view", {}).pop(name, None)
    return data, spec


def _name(data: pd.DataFrame) -> str:
    return f"rows-{hashlib.sha256(pd.util.hash_pandas_object(data).to_numpy().tobytes()).hexdigest()[:16]}"


@st.cache_resource(show_spinner=False, max_entries=24)
def _kept(same: str, _make: Callable[[], Any]) -> Parts:
    return prepared(_make())
