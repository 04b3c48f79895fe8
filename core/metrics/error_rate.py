"""Error rate: the share of rows that are predicted wrong."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import Metric


def _error_rate(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): off-diagonal / all; NaN for no rows."""
    wrong = np.where(np.eye(counts.shape[-1], dtype=bool), 0.0, counts)  # total - hits would leave 1e-13 for weights
    return divide(wrong.sum((-2, -1)), counts.sum((-2, -1)))


METRIC = Metric(
    name="error_rate",
    title="Error rate",
    help="The share of rows that the model gets wrong: one minus accuracy.",
    of=_error_rate,
    undefined="0 rows",
    higher_is_better=False,
    equation="(FP + FN) / n",
    source="Hand 1997",
    aka={"Fairlearn": "zero_one_loss", "AIF360": "error_rate", "OxonFair": "1 - accuracy"},
    order=30,
)
