"""False discovery rate: of the selected, the share that is truly negative."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import cells, divide
from core.types import Metric


def _fdr(counts: np.ndarray) -> np.ndarray:
    """(..., 2, 2) -> (...): FP / (FP + TP); NaN with nobody selected."""
    _, fp, _, tp = cells(counts)
    return divide(fp, fp + tp)


METRIC = Metric(
    name="fdr",
    title="False discovery rate",
    help="Of the people whom the model selects, the share whose true label is negative: one minus precision.",
    of=_fdr,
    undefined="nobody selected",
    higher_is_better=False,
    binary=True,
    equation="FP / (FP + TP)",
    source="Benjamini & Hochberg 1995",
    aka={"Fairlearn": "1 - precision_score", "AIF360": "false_discovery_rate", "Aequitas": "fdr",
         "OxonFair": "1 - pos_pred_val"},
    order=92,
)
