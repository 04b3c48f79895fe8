"""Average equality gap of negatives: are the group's negatives scored above or below everybody else's?"""

from __future__ import annotations

import numpy as np

from core.metrics.scores.background import NEGATIVE, against_background
from core.types import Metric, Scored


def _negative_aeg(scored: Scored) -> np.ndarray:
    """w (..., N) -> (..., G); NaN with 0 negatives in the group or outside it."""
    return against_background(scored, NEGATIVE, NEGATIVE) - 0.5


METRIC = Metric(
    name="negative_aeg",
    title="Negative average equality gap",
    help="How often a negative row of the group scores above a negative row of everybody else, minus one half: "
    "0 is the same spread, above 0 the group is scored higher, below 0 lower.",
    of=_negative_aeg,
    undefined="0 negatives in the group or outside it",
    higher_is_better=None,
    bounds=(-0.5, 0.5),
    binary=True,
    equation="P(group's negative above another negative) + P(tie) / 2 - 1/2",
    source="Borkan, Dixon, Sorensen, Thain & Vasserman 2019",
    aka={"OxonFair": "roc_auc of membership among those rows, minus one half"},
    order=268,
    on="scores",
)
