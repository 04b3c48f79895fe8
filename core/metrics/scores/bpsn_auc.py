"""Background positive, subgroup negative: positives of everybody else against negatives of the group."""

from __future__ import annotations

import numpy as np

from core.metrics.scores.background import NEGATIVE, POSITIVE, against_background
from core.types import Metric, Scored


def _bpsn_auc(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN with 0 negatives in the group or 0 positives outside it."""
    return 1.0 - against_background(scored, NEGATIVE, POSITIVE)


METRIC = Metric(
    name="bpsn_auc",
    title="BPSN AUC",
    help="How often a positive row of everybody else scores above a negative row of the group. Low: the "
    "group's negatives are scored too high, so they are wrongly selected.",
    of=_bpsn_auc,
    undefined="0 negatives in the group or 0 positives outside it",
    binary=True,
    equation="AUC over the group's negatives and the positives outside the group",
    source="Borkan, Dixon, Sorensen, Thain & Vasserman 2019",
    aka={"Fairlearn": "roc_auc_score over those rows"},
    order=262,
    on="scores",
)
