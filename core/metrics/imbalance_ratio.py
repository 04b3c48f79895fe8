"""Imbalance ratio: rows of the commonest class for each row of the rarest."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import Metric


def _imbalance_ratio(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): largest class / smallest class; NaN where a class has no rows."""
    sizes = counts.sum(-1)
    return divide(sizes.max(-1), sizes.min(-1))


METRIC = Metric(
    name="imbalance_ratio",
    title="Imbalance ratio",
    help="How many rows the commonest class has for each row of the rarest; 1 is balance. It describes the data and "
    "is the same for every model.",
    of=_imbalance_ratio,
    undefined="a class with 0 rows",
    higher_is_better=None,
    bounds=(1.0, np.inf),
    equation="largest class / smallest class",
    source="Japkowicz & Stephen 2002",
    aka={"AIF360": "num_negatives / num_positives", "OxonFair": "neg_data_rate / pos_data_rate"},
    order=142,
)
