"""Subgroup AUC: how often a positive row scores above a negative row of the same group."""

from __future__ import annotations

import numpy as np

from core.metrics.scores.ranks import middle, per_group, win_share
from core.types import Metric, Scored


def _subgroup_auc(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN without positives or without negatives."""
    return per_group(scored, _value)


def _value(negatives: np.ndarray, positives: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Weights (W, T) -> (W,)."""
    return win_share(positives, middle(negatives), positives.sum(-1) * negatives.sum(-1))


METRIC = Metric(
    name="subgroup_auc",
    title="Subgroup AUC",
    help="How well the scores tell positives from negatives among the rows of the group alone. Compare it with "
    "the two AUCs that mix the group with everybody else.",
    of=_subgroup_auc,
    undefined="0 positives or 0 negatives",
    binary=True,
    equation="(pairs with the positive above + ties / 2) / (positives * negatives)",
    source="Borkan, Dixon, Sorensen, Thain & Vasserman 2019",
    aka={"Fairlearn": "roc_auc_score in each group", "OxonFair": "roc_auc per group"},
    order=260,
    on="scores",
)
