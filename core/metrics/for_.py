"""False omission rate: of those not selected, the share that is truly positive."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _false_omission(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): FN / (FN + TN); NaN with everybody selected."""
    tn, _, fn, _ = cells(counts)
    return divide(fn, fn + tn)


METRIC = Metric(
    name="for",
    title="False omission rate",
    help="Of the people whom the model does not select, the share whose true label is positive: one minus the "
    "negative predictive value.",
    of=_false_omission,
    undefined="everybody selected",
    higher_is_better=False,
    binary=True,
    equation="FN / (FN + TN)",
    source="Berk, Heidari, Jabbari, Kearns & Roth 2021",
    aka={"AIF360": "false_omission_rate", "Aequitas": "for", "OxonFair": "1 - neg_pred_val"},
    order=102,
)
