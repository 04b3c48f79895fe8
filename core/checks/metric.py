"""What every metric must keep to: METRIC of core/metrics/**/<name>.py. Each check raises AssertionError with a hint.

Ids are name:check, for example "tpr:undefined_is_nan"; no check looks at the name. A metric on counts is shown count
tables; one on scores or moments is shown rows, whose weights are the bootstrap worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from core.counts import count_confusion
from core.moments import sum_moments
from core.types import Metric, Scored

KINDS = ("counts", "scores", "moments")


@dataclass(frozen=True)
class Rows:
    """Rows to measure: y (N,), what the model says (N,), group (N,) of n_groups, weights (..., N)."""

    y: np.ndarray
    said: np.ndarray
    group: np.ndarray
    n_groups: int
    w: np.ndarray


def measure_rows(metric: Metric, rows: Rows) -> np.ndarray:
    """Any metric over rows: (..., G)."""
    if metric.on == "scores":
        return metric.of(Scored(rows.said, rows.y, rows.group, rows.n_groups, rows.w))
    if metric.on == "moments":
        return metric.of(sum_moments(rows.y, rows.said, rows.group, rows.n_groups, rows.w))
    worlds = [count_confusion(rows.said, rows.y, rows.group, 2, rows.n_groups, w)
              for w in rows.w.reshape(-1, rows.w.shape[-1])]
    return metric.of(np.array(worlds).reshape(*rows.w.shape[:-1], rows.n_groups, 2, 2))


def check_words(metric: Metric) -> None:
    """Everything a person reads is filled in."""
    for part in ("title", "help", "undefined", "equation", "source"):
        assert getattr(metric, part).strip(), f"fill in `{part}`"
    assert metric.help.strip().endswith("."), "`help` is one or more whole sentences"
    module = metric.of.__module__.rsplit(".", 1)[-1].rstrip("_")  # for_.py: a word of Python's own takes a _
    assert metric.name == module, "the module is named like the metric"
    assert metric.on in KINDS, f"`on` is one of {', '.join(KINDS)}"
    assert metric.aka, "say what at least one other library calls it"
    assert metric.bounds[0] < metric.bounds[1], "bounds are (lowest, highest)"


def check_shape(metric: Metric) -> None:
    """Leading axes pass through, and each world or table is computed on its own."""
    if metric.on == "counts":
        counts = _random_tables(metric).reshape(5, 4, *_random_tables(metric).shape[-2:])
        found = metric.of(counts)
        assert found.shape == (5, 4), f"counts (5, 4, C, C) must give (5, 4), not {found.shape}"
        loop = np.array([[metric.of(c[None])[0] for c in row] for row in counts])
    else:
        rows = _random_rows(metric, lead=(2, 3))
        found = measure_rows(metric, rows)
        assert found.shape == (2, 3, rows.n_groups), f"weights (2, 3, N) must give (2, 3, G), not {found.shape}"
        loop = np.array([[measure_rows(metric, _with(rows, w=w)) for w in block] for block in rows.w])
    assert found.dtype.kind == "f", "values are floats"
    assert np.allclose(found, loop, equal_nan=True), "a table's value depends on the tables beside it"


def check_inputs_are_kept(metric: Metric) -> None:
    """What is given is not changed."""
    if metric.on == "counts":
        given = [_random_tables(metric)]
        before = given[0].copy()
        metric.of(given[0])
        assert np.array_equal(given[0], before), "`of` changes the counts it is given; compute on a copy"
        return
    rows = _random_rows(metric)
    arrays = (rows.y, rows.said, rows.group, rows.w)
    kept = [a.copy() for a in arrays]
    measure_rows(metric, rows)
    same = all(np.array_equal(a, b) for a, b in zip(arrays, kept, strict=True))
    assert same, "`of` changes the rows it is given; compute on a copy"


def check_bounds(metric: Metric) -> None:
    """Values stay inside `bounds`."""
    values = metric.of(_random_tables(metric)) if metric.on == "counts" else measure_rows(metric, _random_rows(metric))
    values = values[np.isfinite(values)]
    assert values.size, "undefined on every random table"
    low, high = metric.bounds
    assert values.min() >= low - 1e-12 and values.max() <= high + 1e-12, f"values leave {metric.bounds}"


def check_perfect_and_inverted(metric: Metric) -> None:
    """The perfect predictor reaches the better bound; the inverted one the worse bound, or at least a worse value."""
    if metric.higher_is_better is None:
        return
    best, worst = metric.bounds[::-1] if metric.higher_is_better else metric.bounds
    y = np.repeat([0, 1, 0, 1], [3, 2, 3, 2])
    group = np.repeat([0, 1], 5)
    said = np.array([y, 1 - y]).astype(int if metric.on == "counts" else float)
    perfect, inverted = (measure_rows(metric, Rows(y, s, group, 2, np.ones(10))) for s in said)
    assert np.allclose(perfect, best), f"a perfect predictor gives {perfect}, the better bound is {best}"
    if metric.on == "counts":
        assert np.allclose(inverted, worst), f"an always wrong predictor gives {inverted}, the worse bound is {worst}"
    sign = 1 if metric.higher_is_better else -1
    assert (sign * (perfect - inverted) > 0).all(), f"always wrong gives {inverted}, which is not worse than perfect"


def check_undefined_is_nan(metric: Metric) -> None:
    """No rows at all is undefined: NaN, without a warning, never 0. Undefined counts stay undefined."""
    with np.errstate(all="raise"):
        if metric.on == "counts":
            assert np.isnan(metric.of(np.zeros((1, 2, 2)))).all(), "0/0 must be NaN"
            assert np.isnan(metric.of(np.full((1, 2, 2), np.nan))).all(), "NaN counts must give NaN"
            return
        rows = _random_rows(metric)
        weightless = measure_rows(metric, _with(rows, w=np.where(rows.group == 1, 0.0, rows.w)))
        assert np.isnan(weightless[1]), "a group whose weights are all 0 must be NaN"
        assert np.isnan(measure_rows(metric, _with(rows, n_groups=rows.n_groups + 1))[-1]), "an empty group must be NaN"
        nobody = Rows(rows.y[:0], rows.said[:0], rows.group[:0], 2, np.ones((3, 0)))
        found = measure_rows(metric, nobody)
        assert found.shape == (3, 2) and np.isnan(found).all(), "no rows must be NaN in every group"


def check_duplicated_rows(metric: Metric) -> None:
    """Every row twice, or every weight halved, changes nothing (a size of the data alone may grow with the rows)."""
    for factor in (2.0, 0.5):
        if metric.on == "counts":
            counts = _random_tables(metric)
            more, once = metric.of(counts * factor), metric.of(counts)
            if _is_a_size(metric):
                defined = np.isfinite(once)
                grows = np.sign(factor - 1) * (more - once)[defined] >= -1e-12
                assert grows.all(), "a number of rows must grow with the rows"
                continue
        else:
            rows = _random_rows(metric)
            more, once = measure_rows(metric, _with(rows, w=rows.w * factor)), measure_rows(metric, rows)
        assert np.allclose(more, once, equal_nan=True), f"counts times {factor} must give the same value"


def check_weights_are_repeated_rows(metric: Metric) -> None:
    """A row of weight 3 is three rows, and a row of weight 0 is none."""
    rows = _random_rows(metric)
    w = np.random.default_rng(5).integers(0, 4, len(rows.y))
    again = np.repeat(np.arange(len(rows.y)), w)
    repeated = Rows(rows.y[again], rows.said[again], rows.group[again], rows.n_groups, np.ones(len(again)))
    weighted = measure_rows(metric, _with(rows, w=w.astype(float)))
    same = np.allclose(weighted, measure_rows(metric, repeated), equal_nan=True)
    assert same, "whole weights must give what repeated rows give"


def check_against_rows(metric: Metric) -> None:
    """A group gives what its rows give alone, or, against a background, what group and background give."""
    rows = _random_rows(metric)
    together = measure_rows(metric, rows)
    for g in range(rows.n_groups):
        one = measure_rows(metric, _with(rows, group=np.where(rows.group == g, 0, -1), n_groups=1)) \
            if metric.on != "counts" else measure_rows(metric, _only(rows, g))
        assert np.allclose(together[g], one[0], equal_nan=True), "a group's value depends on how the others are split"


def check_relabelling(metric: Metric) -> None:
    """Other numbers for the groups, and another order of rows, give the same values under those numbers."""
    rows, rng = _random_rows(metric), np.random.default_rng(8)
    new, order = rng.permutation(rows.n_groups), rng.permutation(len(rows.y))
    other = Rows(rows.y[order], rows.said[order], new[rows.group][order], rows.n_groups, rows.w[order])
    same = np.allclose(measure_rows(metric, other)[new], measure_rows(metric, rows), equal_nan=True)
    assert same, "numbers of groups or the order of rows change the values"


CHECKS: Mapping[str, Callable[[Metric], None]] = {
    "words": check_words,
    "shape": check_shape,
    "inputs_are_kept": check_inputs_are_kept,
    "bounds": check_bounds,
    "perfect_and_inverted": check_perfect_and_inverted,
    "undefined_is_nan": check_undefined_is_nan,
    "duplicated_rows": check_duplicated_rows,
    "weights_are_repeated_rows": check_weights_are_repeated_rows,
    "against_rows": check_against_rows,
    "relabelling": check_relabelling,
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


def _random_rows(metric: Metric, lead: tuple[int, ...] = ()) -> Rows:
    """90 weighted rows of three groups, scores with many ties; labels are numbers where the metric is on moments."""
    rng = np.random.default_rng(3)
    n = 90
    said: dict[str, np.ndarray] = {"counts": rng.integers(0, 2, n), "scores": rng.integers(0, 11, n) / 10,
                                   "moments": rng.integers(0, 9, n) + rng.normal(0, 0.5, n)}
    y = rng.normal(4.0, 2.0, n) if metric.on == "moments" else rng.integers(0, 2, n)
    return Rows(y, said[metric.on], rng.integers(0, 3, n), 3, rng.random((*lead, n)) + 0.1)


def _with(rows: Rows, **changed: object) -> Rows:
    return Rows(**{**vars(rows), **changed})  # type: ignore[arg-type]


def _only(rows: Rows, group: int) -> Rows:
    own = rows.group == group
    return Rows(rows.y[own], rows.said[own], np.zeros(own.sum(), dtype=int), 1, rows.w[..., own])


def _is_a_size(metric: Metric) -> bool:
    """True for what counts the data: without a better direction or an upper end, and blind to predictions."""
    table = np.array([[[5.0, 3.0], [2.0, 7.0]]])
    blind = np.allclose(metric.of(table), metric.of(table[..., ::-1]))
    return blind and metric.higher_is_better is None and not np.isfinite(metric.bounds[1])
