"""False positive rate: of the truly negative, the share that is selected."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _fpr(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): FP / (FP + TN); NaN with 0 negatives."""
    tn, fp, _, _ = cells(counts)
    return divide(fp, fp + tn)


METRIC = Metric(
    name="fpr",
    title="False positive rate",
    help="Of the people whose true label is negative, the share that the model wrongly selects. "
    "Predictive equality compares it between groups.",
    of=_fpr,
    undefined="0 negatives",
    higher_is_better=False,
    binary=True,
    equation="FP / (FP + TN)",
    source="Corbett-Davies, Pierson, Feller, Goel & Huq 2017",
    aka={"Fairlearn": "false_positive_rate", "AIF360": "false_positive_rate",
         "Aequitas": "fpr", "OxonFair": "false_pos_rate"},
    order=60,
)
