"""Average precision: the mean precision over the positives, as a threshold goes down."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.metrics.scores.ranks import per_group
from core.types import Metric, Scored


def _average_precision(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN without positives."""
    return per_group(scored, _value)


def _value(negatives: np.ndarray, positives: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Weights (W, T) -> (W,): precision at every distinct score, weighted by the positives found there."""
    found, wrong = (mass[:, ::-1].cumsum(-1)[:, ::-1] for mass in (positives, negatives))
    precision = np.nan_to_num(divide(found, found + wrong))
    return np.clip(divide((positives * precision).sum(-1), positives.sum(-1)), 0.0, 1.0)


METRIC = Metric(
    name="average_precision",
    title="Average precision",
    help="The precision at each threshold, averaged over the positives found there (area under the "
    "precision-recall curve, without interpolation). Guessing reaches the prevalence, so groups with more "
    "positives look better.",
    of=_average_precision,
    undefined="0 positives",
    binary=True,
    equation="sum over thresholds of (recall gained) * precision",
    source="Buckley & Voorhees 2000",
    aka={"Fairlearn": "average_precision_score (scikit-learn)", "OxonFair": "average_precision"},
    order=220,
    on="scores",
)
