"""What an audit is made of: predictions of one or several models on the same rows, numbers with their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from core.types.data import Groups

if TYPE_CHECKING:  # torch and pandas take a second to import: types must not pay for it
    import numpy as np
    import pandas as pd


@dataclass(frozen=True)
class Value:
    """One number as it is shown: with its interval, the (effective) rows behind it, or why it is undefined.

    value, low, high: NaN where undefined. n: rows in the denominator (effective rows with weights).
    undefined: the reason in words ("0 positives"), None where defined. how: how the interval was made ("Wilson").
    """

    value: float
    low: float
    high: float
    n: float
    undefined: str | None = None
    how: str = ""


@dataclass(frozen=True)
class Scored:
    """Scores of one model with the truth, sorted once, for metrics on scores.

    Args:
        score: (N,) finite floats; more means the positive class. y: (N,) 0 or 1. group: (N,) int64 in 0..n_groups-1;
            -1 is in no group but counts among everybody else (the background).
        w: (..., N) row weights; the leading axes are bootstrap worlds or any other reweighting of the same rows.
        probability: True where scores are probabilities in [0, 1] (Brier score, log loss and calibration need it).
    """

    score: np.ndarray
    y: np.ndarray
    group: np.ndarray
    n_groups: int
    w: np.ndarray
    probability: bool = True

    @cached_property
    def order(self) -> np.ndarray:
        """(N,) positions from the lowest score to the highest."""
        return self.score.argsort(kind="stable")


@dataclass(frozen=True)
class ModelOutput:
    """What one model said about every row.

    Args:
        name: words for people (the column's name).
        pred: (N,) int64 class codes, or None where only scores exist and no threshold was given.
        score: (N,) float64 scores of the positive class, or None.
        threshold: the rule was score >= threshold; None where predictions came as such.
        probability: whether the scores are probabilities.
    """

    name: str
    pred: np.ndarray | None
    score: np.ndarray | None = None
    threshold: float | None = None
    probability: bool = True


@dataclass(frozen=True)
class AuditSpec:
    """Which columns an audit reads and how it counts.

    Args:
        label: the column of true labels; "" audits without labels (selection only).
        positive: the word of the positive class; "" where there are several classes.
        predictions, scores: the models' columns. threshold: the cut for score columns (score >= threshold).
        score_kind: "probability" (refused outside [0, 1]) or "logit" (any finite number, made a probability).
        attributes: columns whose intersection makes the groups. weight, person: columns, "" for none.
        reference: attribute -> value of the reference group; empty takes the largest group.
        missing: "group" (its own group "missing") or "exclude" (from everything, overall included).
        min_n: groups with fewer rows are drawn hollow and left out of "worst". level: of the intervals.
    """

    label: str = ""
    positive: str = ""
    predictions: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    threshold: float | None = None
    score_kind: str = "probability"
    attributes: tuple[str, ...] = ()
    weight: str = ""
    person: str = ""
    reference: Mapping[str, str] = field(default_factory=dict)
    missing: str = "group"
    min_n: int = 10
    level: float = 0.95


@dataclass(frozen=True)
class Predictions:
    """An audit's rows, checked: N rows are left after `excluded`.

    Args:
        y: (N,) int64 class codes (1 is the positive class of two), or None without labels.
        classes: C words. models: one or several. groups: the intersection of the attributes.
        attributes: (N) the attribute columns as words. features: (N) all other columns, raw, for finding slices.
        w: (N,) positive weights or None. person: (N,) int64 codes or None.
        n_total: rows of the table. excluded: (reason, rows). notes: what was done, in plain sentences.
    """

    y: np.ndarray | None
    classes: tuple[str, ...]
    models: tuple[ModelOutput, ...]
    groups: Groups
    attributes: pd.DataFrame
    features: pd.DataFrame
    w: np.ndarray | None
    person: np.ndarray | None
    n_total: int
    spec: AuditSpec
    excluded: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        return len(self.groups.code)

    @property
    def n_attrs(self) -> int:
        return len(self.groups.labels)
