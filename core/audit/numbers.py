"""Every metric over counts of one model in every group, with bootstrap worlds beside the values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core import registry
from core.counts import count_confusion
from core.inference import bootstrap_counts, interval, wilson
from core.metrics.measure import collapse
from core.types import Metric, Predictions

CELLS = {  # rate -> (numerator, denominator) as masks over [[TN, FP], [FN, TP]]
    "selection_rate": ([[0, 1], [0, 1]], [[1, 1], [1, 1]]), "prevalence": ([[0, 0], [1, 1]], [[1, 1], [1, 1]]),
    "tpr": ([[0, 0], [0, 1]], [[0, 0], [1, 1]]), "fnr": ([[0, 0], [1, 0]], [[0, 0], [1, 1]]),
    "fpr": ([[0, 1], [0, 0]], [[1, 1], [0, 0]]), "tnr": ([[1, 0], [0, 0]], [[1, 1], [0, 0]]),
    "ppv": ([[0, 0], [0, 1]], [[0, 1], [0, 1]]), "fdr": ([[0, 1], [0, 0]], [[0, 1], [0, 1]]),
    "npv": ([[1, 0], [0, 0]], [[1, 0], [1, 0]]), "for": ([[0, 0], [1, 0]], [[1, 0], [1, 0]]),
}
ONE_VS_REST = ("tpr", "fpr", "ppv", "selection_rate", "f1")
MAX_ONE_VS_REST = 12
DRAW_BYTES = 256 * 2**20
PERSON_CELLS = 5_000_000  # persons drawn at a time, all worlds together


@dataclass(frozen=True)
class Numbers:
    """One metric: value (A + 1,) with everyone last, low, high and n of the same shape, worlds (D, A + 1) or None,
    `how` the intervals and the worlds (`drawn`) were made, and the metric itself."""

    metric: Metric
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n: np.ndarray
    worlds: np.ndarray | None
    how: str
    drawn: str = "bootstrap"


def count_table(rows: Predictions, model: int, squared: bool = False) -> np.ndarray:
    """(A, C, C) weighted counts of one model, or of squared weights. Without labels all rows count as class 0."""
    output = rows.models[model]
    y = np.zeros(rows.n, np.int64) if rows.y is None else rows.y
    pred = y if output.pred is None else output.pred
    weight = rows.w if rows.w is None or not squared else rows.w**2
    return count_confusion(pred, y, rows.groups.code, len(rows.classes), rows.n_attrs, weight)


def draw_worlds(rows: Predictions, model: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """(D, A, C, C) counts of resampled rows, groups keeping their sizes; persons are resampled where rows have one."""
    counts = count_table(rows, model)
    draws = int(np.clip(DRAW_BYTES // (8 * counts.size), min(draws, 100), draws))
    if rows.person is not None:
        return _draw_persons(rows, model, draws, rng)
    mass, squares = counts.sum((-2, -1)), count_table(rows, model, squared=True).sum((-2, -1))
    size = np.divide(mass**2, squares, out=np.zeros_like(mass), where=squares > 0)
    return bootstrap_counts(counts, size, draws, rng)


def _draw_persons(rows: Predictions, model: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Worlds of whole persons as count tables (D, A, C, C)."""
    output, c = rows.models[model], len(rows.classes)
    y = np.zeros(rows.n, np.int64) if rows.y is None else rows.y
    pred = y if output.pred is None else output.pred
    cells = draw_person_cells(rows, (rows.groups.code * c + y) * c + pred, rows.n_attrs * c * c, draws, rng)
    return cells.reshape(draws, rows.n_attrs, c, c)


def draw_person_cells(rows: Predictions, cell: np.ndarray, n_cells: int, draws: int,
                      rng: np.random.Generator) -> np.ndarray:
    """(D, n_cells) weights of cells when whole persons are drawn again: a sparse table of persons x cells, multiplied
    by how often each person is drawn. cell: (N,) the cell of every row; `rows.person` is there."""
    from scipy.sparse import csr_array

    person = np.zeros(0, np.int64) if rows.person is None else rows.person
    people = int(person.max()) + 1
    table = csr_array((np.ones(rows.n) if rows.w is None else rows.w, (person, cell)), shape=(people, n_cells))
    out, step = [], max(1, PERSON_CELLS // people)
    for first in range(0, draws, step):
        d = min(step, draws - first)
        picked = rng.integers(0, people, (d, people)) + np.arange(d)[:, None] * people
        times = np.bincount(picked.ravel(), minlength=d * people).reshape(d, people).astype(np.float64)
        out.append(times @ table)
    return np.concatenate(out)


def count_numbers(rows: Predictions, model: int, worlds: np.ndarray) -> list[Numbers]:
    """Every metric over counts that applies."""
    counts, squares = (with_all(count_table(rows, model, squared)) for squared in (False, True))
    drawn = with_all(worlds)
    if rows.y is None:
        return [_counted(registry.metric("selection_rate"), rows, counts, squares, drawn)]
    two = len(rows.classes) == 2
    plain = [m for m in registry.metrics().values() if (two and not m.name.endswith("_macro")) or not m.binary
             and not two]
    plain += [registry.metric("f1_macro")] if two is False and "f1_macro" not in {m.name for m in plain} else []
    found = [_counted(m, rows, counts, squares, drawn) for m in plain]
    if not two and len(rows.classes) <= MAX_ONE_VS_REST:
        for k, word in enumerate(rows.classes):
            each = [collapse(table, k) for table in (counts, squares, drawn)]
            for slug in ONE_VS_REST:
                one = _counted(registry.metric(slug), rows, *each)
                name = f"{slug}[{word}]"
                found.append(Numbers(_renamed(one.metric, name, word), one.value, one.low, one.high, one.n, one.worlds,
                                     one.how, one.drawn))
    return found


def _counted(metric: Metric, rows: Predictions, counts: np.ndarray, squares: np.ndarray,
             drawn: np.ndarray) -> Numbers:
    value = metric.of(counts)
    worlds = redrawn(metric.of(drawn), value)
    c = counts.shape[-1]
    masks: Any = CELLS.get(metric.name)
    if metric.name in ("accuracy", "error_rate"):
        eye = np.eye(c)
        masks = ((eye if metric.name == "accuracy" else 1 - eye), np.ones((c, c)))
    under = np.ones((c, c)) if masks is None else np.asarray(masks[1], dtype=np.float64)
    mass, square = (counts * under).sum((-2, -1)), (squares * under).sum((-2, -1))
    n = np.divide(mass**2, square, out=np.zeros_like(mass), where=square > 0)
    if masks is not None and rows.person is None:
        low, high = wilson(np.nan_to_num(value) * n, n, rows.spec.level)
        how = "Wilson"
    else:
        (low, high), how = interval(worlds, rows.spec.level), what_is_drawn(rows)
    undefined = ~np.isfinite(value)
    return Numbers(metric, value, np.where(undefined, np.nan, low), np.where(undefined, np.nan, high), n, worlds, how,
                   what_is_drawn(rows))


def what_is_drawn(rows: Predictions) -> str:
    """How worlds of these rows are made, in words."""
    return "bootstrap of persons" if rows.person is not None else "bootstrap"


def with_all(counts: np.ndarray) -> np.ndarray:
    """(..., A, C, C) -> (..., A + 1, C, C): everyone last."""
    return np.concatenate([counts, counts.sum(-3, keepdims=True)], axis=-3)


def _renamed(metric: Metric, name: str, word: str) -> Metric:
    return replace(metric, name=name, title=f"{metric.title} of class {word}")


def redrawn(worlds: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Worlds (D, G) in which a group lost what its value (G,) needs take that group from another world."""
    lost = ~np.isfinite(worlds) & np.isfinite(value)
    for g in np.flatnonzero(lost.any(0)):
        gone = np.flatnonzero(lost[:, g])
        kept = np.flatnonzero(~lost[:, g])
        if len(kept):
            worlds[gone, g] = worlds[kept[np.arange(len(gone)) % len(kept)], g]
    return worlds
