"""Mean prediction: the average of what the model says."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.moments import moment
from core.types import Metric


def _mean_prediction(moments: np.ndarray) -> np.ndarray:
    """(..., G, K) -> (..., G); NaN for 0 rows."""
    return divide(moment(moments, "p"), moment(moments, "n"))


METRIC = Metric(
    name="mean_prediction",
    title="Mean prediction",
    help="The average prediction, in the unit of the label; its gap is what demographic parity compares for "
    "numbers.",
    of=_mean_prediction,
    undefined="0 rows",
    higher_is_better=None,
    bounds=(-np.inf, np.inf),
    equation="mean of p",
    source="Calders, Karim, Kamiran, Ali & Zhang 2013",
    aka={"Fairlearn": "mean_prediction"},
    order=340,
    on="moments",
)
