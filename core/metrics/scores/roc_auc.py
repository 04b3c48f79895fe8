"""Area under the ROC curve: how often a positive row scores above a negative row of the same group."""

from __future__ import annotations

import numpy as np

from core.metrics.scores.ranks import middle, per_group, win_share
from core.types import Metric, Scored


def _roc_auc(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN without positives or without negatives."""
    return per_group(scored, _value)


def _value(negatives: np.ndarray, positives: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Weights (W, T) -> (W,)."""
    return win_share(positives, middle(negatives), positives.sum(-1) * negatives.sum(-1))


METRIC = Metric(
    name="roc_auc",
    title="Area under the ROC curve",
    help="How often a positive row scores above a negative row of the same group: 1 is a perfect order, one "
    "half is guessing. Ties count one half. No threshold is needed.",
    of=_roc_auc,
    undefined="0 positives or 0 negatives",
    binary=True,
    equation="(pairs with the positive above + ties / 2) / (positives * negatives)",
    source="Hanley & McNeil 1982",
    aka={"Fairlearn": "roc_auc_score", "OxonFair": "roc_auc"},
    order=210,
    on="scores",
)
