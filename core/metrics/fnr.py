"""False negative rate: of the truly positive, the share that is missed."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _fnr(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): FN / (FN + TP); NaN with 0 positives."""
    _, _, fn, tp = cells(counts)
    return divide(fn, fn + tp)


METRIC = Metric(
    name="fnr",
    title="False negative rate",
    help="Of the people whose true label is positive, the share that the model misses.",
    of=_fnr,
    undefined="0 positives",
    higher_is_better=False,
    binary=True,
    equation="FN / (FN + TP)",
    source="Yerushalmy 1947",
    aka={"Fairlearn": "false_negative_rate", "AIF360": "false_negative_rate",
         "Aequitas": "fnr", "OxonFair": "false_neg_rate"},
    order=80,
)
