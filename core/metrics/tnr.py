"""True negative rate: of the truly negative, the share that is left alone."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _tnr(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): TN / (TN + FP); NaN with 0 negatives."""
    tn, fp, _, _ = cells(counts)
    return divide(tn, tn + fp)


METRIC = Metric(
    name="tnr",
    title="True negative rate",
    help="Of the people whose true label is negative, the share that the model rightly does not select "
    "(specificity).",
    of=_tnr,
    undefined="0 negatives",
    binary=True,
    equation="TN / (TN + FP)",
    source="Yerushalmy 1947",
    aka={"Fairlearn": "true_negative_rate", "AIF360": "true_negative_rate",
         "Aequitas": "tnr", "OxonFair": "true_neg_rate"},
    order=70,
)
