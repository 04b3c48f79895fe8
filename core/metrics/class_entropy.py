"""Class entropy: how evenly rows are spread over the classes."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import Metric


def _class_entropy(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): entropy of the class shares over log C; NaN for no rows."""
    sizes = counts.sum(-1)
    share = divide(sizes, sizes.sum(-1, keepdims=True))
    logs = np.log(np.where(share > 0, share, 1.0))
    return np.clip(-(share * logs).sum(-1) / np.log(counts.shape[-1]), 0.0, 1.0)


METRIC = Metric(
    name="class_entropy",
    title="Balance of classes (entropy)",
    help="How evenly the rows are spread over the classes: 1 where all are equally common, 0 where only one occurs. "
    "It describes the data and is the same for every model.",
    of=_class_entropy,
    undefined="0 rows",
    higher_is_better=None,
    equation="-sum over classes of share log share, over log C",
    source="Shannon 1948; normalised as Pielou 1966",
    aka={"OxonFair": "the entropy of pos_data_rate and neg_data_rate"},
    order=144,
)
