"""Mean score: the average of what the model says."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.metrics.scores.ranks import per_group
from core.types import Metric, Scored


def _mean_score(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN for no rows."""
    return per_group(scored, _value)


def _value(negatives: np.ndarray, positives: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Weights (W, T) -> (W,)."""
    mass = positives + negatives
    return divide((mass * score).sum(-1), mass.sum(-1))


METRIC = Metric(
    name="mean_score",
    title="Mean score",
    help="The average score. For calibrated probabilities it equals the prevalence of the group.",
    of=_mean_score,
    undefined="0 rows",
    higher_is_better=None,
    bounds=(-np.inf, np.inf),
    binary=True,
    equation="mean of p",
    source="Kleinberg, Mullainathan & Raghavan 2017",
    aka={"Fairlearn": "mean_prediction", "AIF360": "generalized_fpr and generalized_fnr, by label"},
    order=256,
    on="scores",
)
