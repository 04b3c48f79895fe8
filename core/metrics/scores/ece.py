"""Calibration error (equal-mass bins): how far probabilities are from the shares that happen."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.metrics.scores.bins import binned_error
from core.metrics.scores.ranks import middle, per_group_probability
from core.types import Metric, Scored


def _ece(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN with 0 rows, or scores that are not probabilities."""
    return per_group_probability(scored, _value)


def _value(negatives: np.ndarray, positives: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Weights (W, T) -> (W,)."""
    mass = positives + negatives
    share = divide(middle(mass), mass.sum(-1, keepdims=True))
    return binned_error(negatives, positives, score, np.nan_to_num(share))


METRIC = Metric(
    name="ece",
    title="Calibration error (equal-mass bins)",
    help="The mean distance between the probability and the share of positives, over 15 bins of about equally "
    "many rows; rows of the same score share a bin. With few rows it is above 0 by chance alone.",
    of=_ece,
    undefined="0 rows, or scores that are not probabilities",
    higher_is_better=False,
    binary=True,
    equation="sum over bins of (n_b / n) |mean p - mean y|",
    source="Nixon, Dusenberry, Zhang, Jerfel & Tran 2019",
    aka={"Fairlearn": "the mean distance from the line in calibration_curve (scikit-learn)"},
    order=250,
    on="scores",
)
