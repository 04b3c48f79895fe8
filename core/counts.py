"""Confusion counts: everything that is shown about a classifier is a formula over them.

Shapes: N rows, A attribute groups, C classes, T thresholds, G groups of a partition. A count table is
(..., A, C, C) float64, rows true and columns predicted, weighted where the data have weights. For two classes the
four cells of a group are [[TN, FP], [FN, TP]].
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.types import BadInput

PARTITIONS = ("attr", "subgroup", "class", "all")
PARTITION_WORDS = {"attr": "group", "subgroup": "class × group", "class": "class", "all": "everyone"}


def predict(score: np.ndarray, thresholds: np.ndarray, attr: np.ndarray) -> np.ndarray:
    """Class of every row, or -1 where the score is not a number.

    Args:
        score: (..., N) scores of the positive class with thresholds (..., A): the rule is score >= threshold of the
            row's group. (..., N, C) with thresholds (..., A): several classes, the largest score wins and the
            thresholds are not used.
        thresholds: (..., A); `inf` selects nobody.
        attr: (N,) attribute group of each row.

    Returns:
        (..., N) int8 for two classes, int64 for several.
    """
    score, thresholds = np.asarray(score), np.asarray(thresholds, dtype=np.float64)
    attr = np.asarray(attr)
    if score.ndim == thresholds.ndim + 1:
        _same_rows(score.shape[-2], attr)
        chosen = score.argmax(-1).astype(np.int64)
        return np.where(np.isnan(score).any(-1), -1, chosen)
    _same_rows(score.shape[-1], attr)
    chosen = (score >= thresholds[..., attr]).astype(np.int8)
    return np.where(np.isnan(score), np.int8(-1), chosen)


def count_confusion(
    pred: np.ndarray,
    y: np.ndarray,
    attr: np.ndarray,
    n_classes: int,
    n_attrs: int,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Weighted confusion counts of one or many predictions of the same rows.

    Args:
        pred: (..., N) integer classes; -1 is "no prediction" and makes the whole table of that model NaN.
        y, attr: (N,) true classes and attribute groups.
        weight: (N,) row weights; None counts rows.

    Returns:
        (..., A, C, C) float64, rows true, columns predicted.

    >>> count_confusion(np.array([1, 1, 0]), np.array([1, 0, 0]), np.array([0, 0, 1]), 2, 2)[0].tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    pred, y, attr = np.asarray(pred), np.asarray(y), np.asarray(attr)
    _check_codes(pred, y, attr, n_classes, n_attrs, weight)
    lead, n = pred.shape[:-1], pred.shape[-1]
    size = n_attrs * n_classes * n_classes
    cell = (attr.astype(np.int64) * n_classes + y) * n_classes
    flat = pred.reshape(math.prod(lead), n)
    counts = np.empty((len(flat), size))
    for model, row in enumerate(flat):
        if n and row.min() < 0:
            counts[model] = np.nan
        else:
            counts[model] = np.bincount(cell + row, weights=weight, minlength=size)
    return counts.reshape(*lead, n_attrs, n_classes, n_classes)


def count_thresholds(
    score: np.ndarray, y: np.ndarray, attr: np.ndarray, n_attrs: int, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Counts of the rule score >= t at every distinct score, exactly.

    Args:
        score: (N,) scores of the positive class. y: (N,) 0 or 1. attr: (N,). weight: (N,) or None.

    Returns:
        thresholds (T,) ascending, every distinct score and then `inf` (nobody is selected), and counts
        (T, A, 2, 2). T is the number of distinct scores plus one.
    """
    score, y, attr = np.asarray(score), np.asarray(y), np.asarray(attr)
    _check_codes(y, y, attr, 2, n_attrs, weight)
    _same_rows(score.shape[-1], attr)
    if np.isnan(score).any():
        raise BadInput("Scores", f"{int(np.isnan(score).sum())} missing", "a number for every row", "leave those out")
    distinct, where = np.unique(score, return_inverse=True)
    size = n_attrs * 2
    cell = where.astype(np.int64) * size + attr * 2 + y
    mass = np.bincount(cell, weights=weight, minlength=len(distinct) * size)
    mass = mass.reshape(len(distinct), n_attrs, 2)
    nothing = np.zeros((1, n_attrs, 2))
    # summed from either end: a difference of totals would leave 1e-13 where the truth is 0
    below = np.concatenate([nothing, mass.cumsum(0)])
    above = np.concatenate([mass[::-1].cumsum(0)[::-1], nothing])
    thresholds = np.append(distinct.astype(np.float64), np.inf)
    return thresholds, np.stack([below, above], axis=-1)


def partition(counts: np.ndarray, by: str) -> np.ndarray:
    """Counts of the groups of a partition.

    Args:
        counts: (..., A, C, C).
        by: "attr" (the attribute groups), "class" (true classes), "subgroup" (true class x attribute group, number
            class * A + attr) or "all" (everyone, G = 1). Groups made from a class keep only that class's row.

    Returns:
        (..., G, C, C); a view where nothing has to be computed.
    """
    _check_partition(by)
    if by == "attr":
        return counts
    if by == "all":
        return counts.sum(-3, keepdims=True)
    classes = counts.shape[-1]
    rows = counts.sum(-3, keepdims=True) if by == "class" else counts
    spread = np.zeros((*rows.shape[:-3], classes, *rows.shape[-3:]))
    for c in range(classes):
        spread[..., c, :, c, :] = rows[..., c, :]
    return spread.reshape(*rows.shape[:-3], -1, classes, classes)


def partition_labels(by: str, classes: Sequence[str], attr_labels: Sequence[str]) -> tuple[str, ...]:
    """The groups of a partition in words, in the order of `partition`.

    >>> partition_labels("subgroup", ["no", "yes"], ["women", "men"])
    ('no, women', 'no, men', 'yes, women', 'yes, men')
    """
    _check_partition(by)
    if by == "all":
        return (PARTITION_WORDS["all"],)
    if by == "attr":
        return tuple(attr_labels)
    if by == "class":
        return tuple(classes)
    return tuple(f"{c}, {a}" for c in classes for a in attr_labels)


def n_of(n: np.ndarray, by: str) -> np.ndarray:
    """Sizes of cells (..., C, A) -> sizes of the groups of a partition (..., G)."""
    _check_partition(by)
    n = np.asarray(n)
    if by == "attr":
        return n.sum(-2)
    if by == "class":
        return n.sum(-1)
    if by == "all":
        return n.sum((-2, -1))[..., None]
    return n.reshape(*n.shape[:-2], -1)


def _check_partition(by: str) -> None:
    if by not in PARTITIONS:
        raise BadInput("Partition", repr(by), "one of " + ", ".join(PARTITIONS), "use attr")


def _same_rows(n: int, *columns: np.ndarray) -> None:
    for column in columns:
        if len(column) != n:
            raise BadInput("Rows", f"{n} predictions and {len(column)} rows", "as many of one as of the other",
                           "give columns of the same rows")


def _check_codes(
    pred: np.ndarray, y: np.ndarray, attr: np.ndarray, n_classes: int, n_attrs: int, weight: np.ndarray | None
) -> None:
    _same_rows(pred.shape[-1], y, attr, *([] if weight is None else [weight]))
    if pred.dtype.kind not in "iub":
        raise BadInput("Predictions", f"values of type {pred.dtype}", "whole numbers of classes",
                       "choose a threshold if these are scores")
    for name, codes, lowest, n in (("Predictions", pred, -1, n_classes), ("Label", y, 0, n_classes),
                                   ("Group", attr, 0, n_attrs)):
        if codes.size and not (lowest <= codes.min() and codes.max() < n):
            raise BadInput(name, f"codes from {codes.min()} to {codes.max()}", f"{lowest} to {n - 1}",
                           "give the codes of the data set")
