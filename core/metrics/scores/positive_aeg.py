"""Average equality gap of positives: are the group's positives scored above or below everybody else's?"""

from __future__ import annotations

import numpy as np

from core.metrics.scores.background import POSITIVE, against_background
from core.types import Metric, Scored


def _positive_aeg(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN with 0 positives in the group or outside it."""
    return against_background(scored, POSITIVE, POSITIVE) - 0.5


METRIC = Metric(
    name="positive_aeg",
    title="Positive average equality gap",
    help="How often a positive row of the group scores above a positive row of everybody else, minus one half: "
    "0 is the same spread, above 0 the group is scored higher, below 0 lower.",
    of=_positive_aeg,
    undefined="0 positives in the group or outside it",
    higher_is_better=None,
    bounds=(-0.5, 0.5),
    binary=True,
    equation="P(group's positive above another positive) + P(tie) / 2 - 1/2",
    source="Borkan, Dixon, Sorensen, Thain & Vasserman 2019",
    aka={"OxonFair": "roc_auc of membership among those rows, minus one half"},
    order=266,
    on="scores",
)
