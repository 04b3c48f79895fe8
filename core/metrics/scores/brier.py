"""Brier score: the mean squared distance of the probability from what happened."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.metrics.scores.ranks import per_group_probability
from core.types import Metric, Scored


def _brier(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN with 0 rows, or scores that are not probabilities."""
    return per_group_probability(scored, _value)


def _value(negatives: np.ndarray, positives: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Weights (W, T) -> (W,)."""
    cost = positives * (1.0 - score) ** 2 + negatives * score**2
    return divide(cost.sum(-1), (positives + negatives).sum(-1))


METRIC = Metric(
    name="brier",
    title="Brier score",
    help="The mean squared distance between the probability and what happened (1 or 0). It falls with better "
    "order and with better calibration.",
    of=_brier,
    undefined="0 rows, or scores that are not probabilities",
    higher_is_better=False,
    binary=True,
    equation="mean of (p - y)^2",
    source="Brier 1950",
    aka={"Fairlearn": "brier_score_loss (scikit-learn)"},
    order=230,
    on="scores",
)
