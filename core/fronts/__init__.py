"""Trade-off fronts: which of many points are worth choosing, and what thresholds on one model's scores can reach."""

from __future__ import annotations

from core.fronts.cuts import GAPS, OBJECTIVES, lower_is_better
from core.fronts.mixtures import Mixture, hull, mixture_at
from core.fronts.pareto import front_share, hypervolume, knee, non_dominated
from core.fronts.thresholds import ThresholdFront, best_rule, group_threshold_front, shared_threshold_front

__all__ = [
    "GAPS",
    "OBJECTIVES",
    "Mixture",
    "ThresholdFront",
    "best_rule",
    "front_share",
    "group_threshold_front",
    "hull",
    "hypervolume",
    "knee",
    "lower_is_better",
    "mixture_at",
    "non_dominated",
    "shared_threshold_front",
]
