"""Concordance correlation: correlation that also punishes a shift and a change of scale."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.moments import moment
from core.types import Metric


def _ccc(moments: np.ndarray) -> np.ndarray:
    """(..., G, K) -> (..., G); NaN for labels and predictions that never vary."""
    n, dy, dp = (moment(moments, name) for name in ("n", "dy", "dp"))
    covariance = moment(moments, "yp") - divide(dy * dp, n)
    spread = moment(moments, "yy") - divide(dy**2, n) + moment(moments, "pp") - divide(dp**2, n)
    whole = spread + divide((dp - dy) ** 2, n)
    real = whole > 1e-12 * (moment(moments, "yy") + moment(moments, "pp"))
    return np.clip(divide(2 * covariance, np.where(real, whole, 0.0)), -1.0, 1.0)


METRIC = Metric(
    name="ccc",
    title="Concordance (Lin)",
    help="How closely predictions follow the line of equality: the correlation, lowered by a shift or a change "
    "of scale; 1 is perfect, 0 unrelated, -1 reversed.",
    of=_ccc,
    undefined="labels and predictions that never vary",
    bounds=(-1.0, 1.0),
    equation="2 cov / (var y + var p + (mean y - mean p)^2)",
    source="Lin 1989",
    aka={"Fairlearn": "none; torchmetrics: ConcordanceCorrCoef"},
    order=360,
    on="moments",
)
