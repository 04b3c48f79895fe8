"""Every metric over scores of one model in every group, with intervals at any number of rows."""

from __future__ import annotations

import numpy as np

from core import registry
from core.audit.numbers import Numbers, redrawn
from core.audit.score_worlds import Sides, draw_scores
from core.inference import auc_interval, effective_n, interval
from core.types import BadInput, Predictions

AREAS = ("roc_auc", "subgroup_auc")  # the same area, with DeLong's interval
RAISED = ("ece", "ece_width")  # mean distances: noise of rows drawn again only adds to them


def score_numbers(rows: Predictions, model: int, draws: int, rng: np.random.Generator) -> list[Numbers]:
    """Every metric over scores, where the model has scores and the rows labels of two classes.

    Args:
        rows: checked rows, N of them. model: which of rows.models. draws: bootstrap worlds, at most.

    Returns:
        Numbers of each metric that applies. Areas of rows without persons have DeLong's interval; all else is the
        bootstrap of `core.audit.score_worlds`, over bins of scores where rows are many; worlds of calibration errors
        are centred on the value, else noise counted twice would put it below its own interval.
    """
    output = rows.models[model]
    if output.score is None or rows.y is None or len(rows.classes) != 2:
        return []
    base = np.ones(rows.n) if rows.w is None else rows.w
    sides = Sides.make(output.score, rows.y, rows.groups.code, rows.n_attrs, base, output.probability)
    made = draw_scores(rows, model, draws, rng)
    found, areas = [], None
    for metric in registry.metrics("scores").values():
        try:
            value = sides.of(metric)
            worlds = redrawn(made.of(metric, value), value)
        except BadInput:  # needs probabilities
            continue
        if metric.name in RAISED:
            worlds = np.clip(worlds + (value - worlds.mean(0)), *metric.bounds)
        (low, high), how = interval(worlds, rows.spec.level), made.how
        if metric.name in AREAS and rows.person is None:
            areas = _delong(rows, output.score, base) if areas is None else areas
            (low, high), how = areas, "DeLong"
        gone = ~np.isfinite(value)
        found.append(Numbers(metric, value, np.where(gone, np.nan, low), np.where(gone, np.nan, high),
                             _effective(rows), worlds, how, made.how))
    return found


def _delong(rows: Predictions, score: np.ndarray, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y, order = np.asarray(rows.y), np.argsort(rows.groups.code, kind="stable")
    ends = np.searchsorted(rows.groups.code[order], np.arange(rows.n_attrs + 1))
    parts = [order[low:high] for low, high in zip(ends[:-1], ends[1:], strict=True)] + [np.arange(rows.n)]
    found = np.array([auc_interval(score[p], y[p], base[p], rows.spec.level)[1:] for p in parts])
    return found[:, 0], found[:, 1]


def _effective(rows: Predictions) -> np.ndarray:
    if rows.w is None:
        return np.append(np.bincount(rows.groups.code, minlength=rows.n_attrs), rows.n).astype(np.float64)
    mass = np.bincount(rows.groups.code, rows.w, rows.n_attrs)
    return np.append(mass**2 / np.bincount(rows.groups.code, rows.w**2, rows.n_attrs), effective_n(rows.w))
