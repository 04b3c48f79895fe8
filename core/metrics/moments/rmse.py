"""Root mean squared error: how far predictions are off, large errors weighing more."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.moments import moment
from core.types import Metric


def _rmse(moments: np.ndarray) -> np.ndarray:
    """(..., G, K) -> (..., G); NaN for 0 rows."""
    return np.sqrt(divide(moment(moments, "square"), moment(moments, "n")))


METRIC = Metric(
    name="rmse",
    title="Root mean squared error",
    help="The root of the mean squared error, in the unit of the label; one large error counts more than many "
    "small ones.",
    of=_rmse,
    undefined="0 rows",
    higher_is_better=False,
    bounds=(0.0, np.inf),
    equation="sqrt(mean of (p - y)^2)",
    source="Gauss 1809; Willmott & Matsuura 2005 on its limits",
    aka={"Fairlearn": "mean_squared_error (its root)"},
    order=320,
    on="moments",
)
