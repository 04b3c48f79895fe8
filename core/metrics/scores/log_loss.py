"""Log loss: the mean surprise at what happened, given the probability."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.metrics.scores.ranks import per_group_probability
from core.types import Metric, Scored

EPS = float(np.finfo(np.float64).eps)  # probabilities nearer to 0 or 1 than this are taken as this near


def _log_loss(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN with 0 rows, or scores that are not probabilities."""
    return per_group_probability(scored, _value)


def _value(negatives: np.ndarray, positives: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Weights (W, T) -> (W,)."""
    p = np.clip(score, EPS, 1.0 - EPS)
    cost = positives * -np.log(p) + negatives * -np.log1p(-p)
    return divide(cost.sum(-1), (positives + negatives).sum(-1))


METRIC = Metric(
    name="log_loss",
    title="Log loss",
    help="The mean of minus the log of the probability that was given to what happened (cross-entropy). Sure "
    "and wrong is costly; probabilities of exactly 0 or 1 are taken as 2e-16 away from it.",
    of=_log_loss,
    undefined="0 rows, or scores that are not probabilities",
    higher_is_better=False,
    bounds=(0.0, np.inf),
    binary=True,
    equation="-mean of y log p + (1 - y) log(1 - p)",
    source="Good 1952",
    aka={"Fairlearn": "log_loss"},
    order=240,
    on="scores",
)
