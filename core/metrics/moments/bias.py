"""Bias: the mean of prediction minus label."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.moments import moment
from core.types import Metric


def _bias(moments: np.ndarray) -> np.ndarray:
    """(..., G, K) -> (..., G); NaN for 0 rows."""
    return divide(moment(moments, "dp") - moment(moments, "dy"), moment(moments, "n"))


METRIC = Metric(
    name="bias",
    title="Bias (mean error)",
    help="The mean of prediction minus label: above 0 the group is predicted too high, below 0 too low. Errors "
    "in both directions cancel.",
    of=_bias,
    undefined="0 rows",
    higher_is_better=None,
    bounds=(-np.inf, np.inf),
    equation="mean of p - y",
    source="Calders, Karim, Kamiran, Ali & Zhang 2013",
    aka={"Fairlearn": "mean_prediction minus the mean of y_true"},
    order=330,
    on="moments",
)
