"""Calibration error (equal-width bins): how far probabilities are from the shares that happen."""

from __future__ import annotations

import numpy as np

from core.metrics.scores.bins import binned_error
from core.metrics.scores.ranks import per_group_probability
from core.types import Metric, Scored


def _ece_width(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN with 0 rows, or scores that are not probabilities."""
    return per_group_probability(scored, _value)


def _value(negatives: np.ndarray, positives: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Weights (W, T) -> (W,)."""
    return binned_error(negatives, positives, score, np.broadcast_to(score, negatives.shape))


METRIC = Metric(
    name="ece_width",
    title="Calibration error (equal-width bins)",
    help="The mean distance between the probability and the share of positives, over 15 bins of equal width, "
    "each weighed by its rows. Most bins hold few rows where scores crowd together.",
    of=_ece_width,
    undefined="0 rows, or scores that are not probabilities",
    higher_is_better=False,
    binary=True,
    equation="sum over bins of (n_b / n) |mean p - mean y|",
    source="Guo, Pleiss, Sun & Weinberger 2017",
    aka={"Fairlearn": "the mean distance from the line in calibration_curve (scikit-learn)"},
    order=252,
    on="scores",
)
