"""Background negative, subgroup positive: positives of the group against negatives of everybody else."""

from __future__ import annotations

import numpy as np

from core.metrics.scores.background import NEGATIVE, POSITIVE, against_background
from core.types import Metric, Scored


def _bnsp_auc(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN with 0 positives in the group or 0 negatives outside it."""
    return against_background(scored, POSITIVE, NEGATIVE)


METRIC = Metric(
    name="bnsp_auc",
    title="BNSP AUC",
    help="How often a positive row of the group scores above a negative row of everybody else. Low: the "
    "group's positives are scored too low, so they are wrongly left out.",
    of=_bnsp_auc,
    undefined="0 positives in the group or 0 negatives outside it",
    binary=True,
    equation="AUC over the group's positives and the negatives outside the group",
    source="Borkan, Dixon, Sorensen, Thain & Vasserman 2019",
    aka={"Fairlearn": "roc_auc_score over those rows"},
    order=264,
    on="scores",
)
