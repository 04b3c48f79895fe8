"""Effective number of samples: how much the rows of each class are worth when near repeats add less and less."""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import BadInput, Metric

BETA = 0.999


def effective_number(n: np.ndarray, beta: float = BETA) -> np.ndarray:
    """Rows n (...) -> effective rows (...): (1 - beta^n) / (1 - beta), from 1 row for beta 0 to n rows for beta 1.

    >>> effective_number(np.array([1.0, 10.0, 1e9]), beta=0.9).round(3).tolist()
    [1.0, 6.513, 10.0]
    """
    if not 0 <= beta < 1:
        raise BadInput("Beta", repr(beta), "0 or more and below 1", "use 0.999")
    n = np.asarray(n, dtype=np.float64)
    return -np.expm1(n * np.log(beta)) / (1.0 - beta) if beta else np.where(n > 0, 1.0, n)


def _effective_samples(counts: np.ndarray) -> np.ndarray:
    """(..., C, C) -> (...): effective rows summed over classes; NaN for no rows."""
    sizes = counts.sum(-1)
    total = sizes.sum(-1)
    return divide(effective_number(sizes).sum(-1) * total, total)


METRIC = Metric(
    name="effective_samples",
    title="Effective number of rows",
    help="What the rows are worth when each further row of a class adds a little less than the one before (beta = "
    "0.999: a class is worth 1,000 rows at most). It describes the data and is the same for every model.",
    of=_effective_samples,
    undefined="0 rows",
    higher_is_better=None,
    bounds=(0.0, np.inf),
    equation="sum over classes of (1 - beta^n) / (1 - beta), beta = 0.999",
    source="Cui, Jia, Lin, Song & Belongie 2019",
    aka={"Fairlearn": "count, with repeats discounted", "AIF360": "num_instances, with repeats discounted"},
    order=146,
)
