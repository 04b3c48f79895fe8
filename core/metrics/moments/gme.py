"""Geometric mean error: the typical size of an error, few large ones weighing little."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.moments import moment
from core.types import Metric


def _gme(moments: np.ndarray) -> np.ndarray:
    """(..., G, K) -> (..., G); NaN for 0 rows."""
    n, exact = moment(moments, "n"), moment(moments, "exact")
    mean = np.exp(divide(moment(moments, "log_abs"), n))
    return np.where((exact > 0) & (n > 0), 0.0, mean)


METRIC = Metric(
    name="gme",
    title="Geometric mean error",
    help="The geometric mean of the absolute errors, in the unit of the label; one exact prediction makes it "
    "0. Deep imbalanced regression reports it beside the mean.",
    of=_gme,
    undefined="0 rows",
    higher_is_better=False,
    bounds=(0.0, np.inf),
    equation="(product of |p - y|)^(1/n)",
    source="Yang, Zha, Chen, Wang & Katabi 2021",
    aka={"Fairlearn": "none; scipy.stats.gmean of the absolute errors"},
    order=370,
    on="moments",
)
