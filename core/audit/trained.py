"""Trained runs as predictions to audit: the scores that the store keeps, beside the data set's own columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.types import AuditSpec, Dataset, Groups, ModelOutput, Predictions, Scores


def from_scores(dataset: Dataset, groups: Groups, scores: Scores, names: Sequence[str], *, weighted: bool = False,
                min_n: int = 10, level: float = 0.95) -> Predictions:
    """The rows that some runs were measured on.

    Args:
        dataset, groups: N rows each; `scores.rows` are row numbers of the dataset.
        scores: R runs on n rows. names: R words, one for each run.
        weighted: whether the rows' weights count (the data have a weight column).

    Returns:
        Predictions of n rows and R models. Each model's classes come from its own thresholds; several classes take the
        largest score. Runs whose scores are not finite are left out, and a note says so.
    """
    rows, several = scores.rows.astype(np.int64), scores.score.ndim == 3
    sound = np.isfinite(scores.score.reshape(len(scores.score), -1)).all(1)
    models = tuple(_classes(names[r], scores.score[r]) if several else
                   _positive(names[r], scores.score[r], scores.thresholds[r], scores.attr)
                   for r in np.flatnonzero(sound).tolist())
    roles, attributes = dataset.roles, _words(groups).iloc[scores.attr].reset_index(drop=True)
    hidden = [c for c in dataset.frame.columns if c in dataset.attributes.columns]
    spec = AuditSpec(label=roles.label, positive=roles.positive or "", attributes=tuple(attributes.columns),
                     weight=(roles.weight or "") if weighted else "", min_n=min_n, level=level)
    left_out = [names[r] for r in np.flatnonzero(~sound).tolist()]
    verb = "is" if len(left_out) == 1 else "are"
    notes = (f"{', '.join(left_out)} diverged and {verb} left out.",) if left_out else ()
    return Predictions(
        scores.y.astype(np.int64), dataset.classes, models, replace(groups, code=scores.attr.astype(np.int64)),
        attributes, dataset.frame.drop(columns=hidden).iloc[rows].reset_index(drop=True),
        scores.w.astype(np.float64) if weighted else None, None if dataset.key is None else dataset.key[rows],
        len(rows), spec, (), notes)


def _positive(name: str, score: np.ndarray, thresholds: np.ndarray, attr: np.ndarray) -> ModelOutput:
    """Two classes: one threshold where the rule has one, else the rule by group is in the predictions alone."""
    cut = thresholds[attr]
    shared = float(thresholds[0]) if len(set(thresholds.tolist())) == 1 else None
    return ModelOutput(name, (score >= cut).astype(np.int64), score.astype(np.float64), shared)


def _classes(name: str, score: np.ndarray) -> ModelOutput:
    return ModelOutput(name, score.argmax(-1).astype(np.int64))


def _words(groups: Groups) -> pd.DataFrame:
    """(A) rows: each group's value of every attribute in words; merged groups are called by their label."""
    parts = pd.DataFrame(list(groups.parts), dtype=object)
    labels = pd.Series(groups.labels, dtype=object)
    return parts.apply(lambda column: column.where(column.notna(), labels))
