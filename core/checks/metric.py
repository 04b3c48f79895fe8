"""What every metric must keep to: METRIC of core/metrics/<name>.py. Each check raises AssertionError with a hint.

Ids are name:check, for example "tpr:undefined_is_nan"; no check looks at the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from core.counts import count_confusion
from core.types import Metric


def check_words(metric: Metric) -> None:
    """Everything a person reads is filled in."""
    for part in ("title", "help", "undefined", "equation", "source"):
        assert getattr(metric, part).strip(), f"fill in `{part}`"
    assert metric.help.strip().endswith("."), "`help` is one or more whole sentences"
    assert metric.name == metric.of.__module__.rsplit(".", 1)[-1], "the module is named like the metric"
    assert metric.aka, "say what at least one other library calls it"
    assert metric.bounds[0] < metric.bounds[1], "bounds are (lowest, highest)"


def check_shape(metric: Metric) -> None:
    """Leading axes pass through, and each table is computed on its own."""
    counts = _random_tables(metric).reshape(5, 4, *_random_tables(metric).shape[-2:])
    found = metric.of(counts)
    assert found.shape == (5, 4), f"counts (5, 4, C, C) must give (5, 4), not {found.shape}"
    assert found.dtype.kind == "f", "values are floats"
    loop = [[float(metric.of(c[None])[0]) for c in row] for row in counts]
    assert np.allclose(found, loop, equal_nan=True), "a table's value depends on the tables beside it"


def check_inputs_are_kept(metric: Metric) -> None:
    """The counts given are not changed."""
    counts = _random_tables(metric)
    before = counts.copy()
    metric.of(counts)
    assert np.array_equal(counts, before), "`of` changes the counts it is given; compute on a copy"


def check_bounds(metric: Metric) -> None:
    """Values stay inside `bounds`."""
    values = metric.of(_random_tables(metric))
    values = values[np.isfinite(values)]
    assert values.size, "undefined on every random table"
    low, high = metric.bounds
    assert values.min() >= low - 1e-12 and values.max() <= high + 1e-12, f"values leave {metric.bounds}"


def check_perfect_and_inverted(metric: Metric) -> None:
    """The perfect predictor reaches the better bound and the inverted one the worse."""
    if metric.higher_is_better is None:
        return
    best, worst = metric.bounds[::-1] if metric.higher_is_better else metric.bounds
    perfect = metric.of(np.array([[[6.0, 0.0], [0.0, 4.0]]]))[0]
    inverted = metric.of(np.array([[[0.0, 6.0], [4.0, 0.0]]]))[0]
    assert np.isclose(perfect, best), f"a perfect predictor gives {perfect}, the better bound is {best}"
    assert np.isclose(inverted, worst), f"an always wrong predictor gives {inverted}, the worse bound is {worst}"


def check_undefined_is_nan(metric: Metric) -> None:
    """No rows at all is undefined: NaN, without a warning, never 0. Undefined counts stay undefined."""
    with np.errstate(all="raise"):
        assert np.isnan(metric.of(np.zeros((1, 2, 2)))).all(), "0/0 must be NaN"
        assert np.isnan(metric.of(np.full((1, 2, 2), np.nan))).all(), "NaN counts must give NaN"


def check_duplicated_rows(metric: Metric) -> None:
    """Every row twice, or every weight halved, changes nothing."""
    counts = _random_tables(metric)
    for factor in (2.0, 0.5):
        same = np.allclose(metric.of(counts * factor), metric.of(counts), equal_nan=True)
        assert same, f"counts times {factor} must give the same value"


def check_against_rows(metric: Metric) -> None:
    """Counts of rows give what the same rows give one group at a time."""
    rng = np.random.default_rng(3)
    y, pred, attr = rng.integers(0, 2, 90), rng.integers(0, 2, 90), rng.integers(0, 3, 90)
    together = metric.of(count_confusion(pred, y, attr, 2, 3))
    alone = [metric.of(count_confusion(pred[attr == a], y[attr == a], np.zeros((attr == a).sum(), int), 2, 1))[0]
             for a in range(3)]
    assert np.allclose(together, alone), "a group's value depends on the other groups"


CHECKS: Mapping[str, Callable[[Metric], None]] = {
    "words": check_words,
    "shape": check_shape,
    "inputs_are_kept": check_inputs_are_kept,
    "bounds": check_bounds,
    "perfect_and_inverted": check_perfect_and_inverted,
    "undefined_is_nan": check_undefined_is_nan,
    "duplicated_rows": check_duplicated_rows,
    "against_rows": check_against_rows,
}


def failures(metric: Metric) -> Iterator[str]:
    """Findings, "name:check: what is wrong", for every check that the metric does not pass."""
    for name, check in CHECKS.items():
        try:
            check(metric)
        except Exception as wrong:  # any error of a plug-in is a finding about that plug-in
            yield f"{metric.name}:{name}: {wrong}"


def _random_tables(metric: Metric) -> np.ndarray:
    """(20, C, C): small counts with many zeros, some tables empty; three classes where the metric allows them."""
    rng = np.random.default_rng(0)
    classes = 2 if metric.binary else 3
    tables = rng.integers(0, 6, (20, classes, classes)) * (rng.random((20, classes, classes)) < 0.7)
    tables[3] = 0
    return tables.astype(float)
