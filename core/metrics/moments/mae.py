"""Mean absolute error: how far predictions are off."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.moments import moment
from core.types import Metric


def _mae(moments: np.ndarray) -> np.ndarray:
    """(..., G, K) -> (..., G); NaN for 0 rows."""
    return divide(moment(moments, "abs"), moment(moments, "n"))


METRIC = Metric(
    name="mae",
    title="Mean absolute error",
    help="How far predictions are off on average, in the unit of the label.",
    of=_mae,
    undefined="0 rows",
    higher_is_better=False,
    bounds=(0.0, np.inf),
    equation="mean of |p - y|",
    source="Willmott & Matsuura 2005",
    aka={"Fairlearn": "mean_absolute_error"},
    order=310,
    on="moments",
)
