"""One formula over counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # torch and pandas take a second to import: types must not pay for it
    import numpy as np


@dataclass(frozen=True)
class Metric:
    """One formula over confusion counts: the constant METRIC of core/metrics/<name>.py.

    of, by what the metric is `on`; 0/0 is NaN, never 0:
        "counts": of(counts (..., G, C, C)) -> (..., G), rows true, columns predicted;
        "scores": of(Scored, with w (..., N)) -> (..., G), for the two classes;
        "moments": of(moments (..., G, K)) -> (..., G), K as core.moments lists them, for regression.
    undefined: the words shown for NaN ("0 positives"). binary: needs two classes (class 1 positive).
    aka: what Fairlearn, AIF360, Aequitas, OxonFair call it.
    """

    name: str
    title: str
    help: str
    of: Callable[[Any], np.ndarray]
    undefined: str
    higher_is_better: bool | None = True
    bounds: tuple[float, float] = (0.0, 1.0)
    binary: bool = False
    equation: str = ""
    source: str = ""
    aka: Mapping[str, str] = field(default_factory=dict)
    order: int = 100
    on: str = "counts"
