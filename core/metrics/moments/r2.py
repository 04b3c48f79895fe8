"""R squared: the share of the variance of labels that predictions explain."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.moments import moment
from core.types import Metric


def _r2(moments: np.ndarray) -> np.ndarray:
    """(..., G, K) -> (..., G); NaN for labels that do not vary."""
    spread = moment(moments, "yy") - divide(moment(moments, "dy") ** 2, moment(moments, "n"))
    # what rounding leaves of labels that do not vary is not a variance
    real = spread > 1e-12 * np.maximum(moment(moments, "yy"), moment(moments, "n") * np.finfo(float).tiny)
    return 1.0 - divide(moment(moments, "square"), np.where(real, spread, 0.0))


METRIC = Metric(
    name="r2",
    title="R squared",
    help="One minus the squared error over the variance of the labels in the group: 1 is perfect, 0 no better "
    "than the group's own mean, below 0 worse. A group with little variance scores low at the same error.",
    of=_r2,
    undefined="labels that do not vary",
    bounds=(-np.inf, 1.0),
    equation="1 - sum (y - p)^2 / sum (y - mean y)^2",
    source="Wright 1921",
    aka={"Fairlearn": "r2_score"},
    order=350,
    on="moments",
)
