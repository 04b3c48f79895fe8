"""From a table to arrays: roles, groups, splits, the dataset and the task; built-in sets and their cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from core.types.settings import Param

if TYPE_CHECKING:  # torch and pandas take a second to import: types must not pay for it
    import numpy as np
    import pandas as pd


@dataclass(frozen=True)
class Roles:
    """Which column plays which part. Every other column of the table is a feature.

    Args:
        label: the column to predict.
        positive: the word of the positive class (binary); None for several classes and for regression.
        attributes: the columns whose groups matter.
        weight: the column of sample weights.
        key: the column that keeps rows together in the split (rows of one person).
        text: the columns of free text, encoded by `text_encoder`.
        dropped: column -> reason, for columns that must not be features.
        task: "binary", "multiclass" or "regression".
        threshold: a numeric label becomes binary as `label >= threshold` (then positive is "yes").
        attributes_as_features: False hides the attribute columns from the model.
    """

    label: str
    positive: str | None = None
    attributes: tuple[str, ...] = ()
    weight: str | None = None
    key: str | None = None
    text: tuple[str, ...] = ()
    text_encoder: str = "tfidf"
    dropped: Mapping[str, str] = field(default_factory=dict)
    task: str = "binary"
    threshold: float | None = None
    attributes_as_features: bool = True


@dataclass(frozen=True)
class AttributeSpec:
    """How one attribute column becomes groups: a numeric one is cut at `edges` or into `quantiles` parts;
    `words` replaces raw values by the words people read."""

    column: str
    edges: tuple[float, ...] = ()
    quantiles: int = 0
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupSpec:
    """The groups of a study: the intersections of `attributes`.

    Args:
        min_rows: intersections with fewer rows are merged into one group "other (merged)".
        order: "size" (largest first) or "name".
        reference: the label of the reference group; "" is the largest.
    """

    attributes: tuple[AttributeSpec, ...] = ()
    min_rows: int = 0
    order: str = "size"
    reference: str = ""


@dataclass(frozen=True)
class SplitSpec:
    """Shares of the three parts and the seed of the draw; stratified by subgroup."""

    seed: int = 0
    train: float = 0.6
    val: float = 0.15
    test: float = 0.25


@dataclass(frozen=True)
class Table:
    """A table as read, before roles: `frame` (N rows), for image sets also `images` (N, channels, h, w) in [0, 1]."""

    frame: pd.DataFrame
    images: np.ndarray | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dataset:
    """A table with roles: rows without a label are gone (their number is in `notes`).

    Args:
        name, title: slug and words.
        frame: (N) feature columns, raw (numbers or text, missing values still missing).
        y: (N,) int64 class codes; for two classes 1 is the positive one; float for regression.
        classes: C words; classes[code].
        attributes: (N) raw attribute columns.
        weight: (N,) positive sample weights with mean 1, or None.
        key: (N,) int64 codes of the split key, or None.
        images: (N, channels, h, w) float32, or None.
        roles: the roles it was made with.
        fingerprint: SHA-256 (hex, 16 characters) of values and roles.
        notes: what was done to the rows, in plain sentences.
    """

    name: str
    title: str
    frame: pd.DataFrame
    y: np.ndarray
    classes: tuple[str, ...]
    attributes: pd.DataFrame
    weight: np.ndarray | None
    key: np.ndarray | None
    images: np.ndarray | None
    roles: Roles
    fingerprint: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Groups:
    """Attribute groups of a dataset: `code` (N,) int64 in 0..A-1, A `labels` in words, `parts[a]` attribute -> value,
    `merged` the labels that were put together, `reference` the code of the reference group."""

    code: np.ndarray
    labels: tuple[str, ...]
    parts: tuple[Mapping[str, str], ...]
    reference: int = 0
    merged: tuple[str, ...] = ()


class Splits(NamedTuple):
    """Disjoint row indices, int64, ascending."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Task:
    """What the engine trains on: a dataset, its groups and one split, encoded as plain arrays.

    Encoding (imputing, scaling, one-hot, text) was fitted on `splits.train` only.

    Args:
        x: (N, D) float32. y: (N,) int64. attr: (N,) int64. w: (N,) float32, mean 1 (all ones without weights).
        splits: row indices. val_fit, val_select: a fixed halving of splits.val, stratified by subgroup, for methods
            that learn from validation rows (they fit on the first and are measured on the second).
        feature_names: D words. image_shape: (channels, h, w) where x is a flattened image, else None.
        fingerprint: of the encoded arrays and the split.
    """

    name: str
    title: str
    x: np.ndarray
    y: np.ndarray
    attr: np.ndarray
    w: np.ndarray
    classes: tuple[str, ...]
    attr_labels: tuple[str, ...]
    reference: int
    splits: Splits
    val_fit: np.ndarray
    val_select: np.ndarray
    feature_names: tuple[str, ...]
    image_shape: tuple[int, int, int] | None
    fingerprint: str
    weighted: bool = False

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def n_attrs(self) -> int:
        return len(self.attr_labels)

    @property
    def subgroup(self) -> np.ndarray:
        """(N,) int64, y * A + attr."""
        return self.y * self.n_attrs + self.attr


@dataclass(frozen=True)
class Card:
    """What a person must know before using a data set; every text in plain sentences.

    source, licence, credit; label: what the label means and who is the positive class; groups: what the attributes are;
    harms: known harms and traps, one sentence each; n_rows, n_columns as shipped; modality: "table", "image", "text".
    """

    source: str
    licence: str
    credit: str
    label: str
    groups: str
    harms: tuple[str, ...]
    n_rows: int
    n_columns: int
    modality: str = "table"


@dataclass(frozen=True)
class DatasetEntry:
    """A built-in data set: the constant DATASET of core/data/sets/<name>.py.

    load(options) -> Table, options checked against `params`; `roles(options)` -> Roles; `groups(options)` -> GroupSpec.
    """

    name: str
    title: str
    card: Card
    load: Callable[[Mapping[str, Any]], Table]
    roles: Callable[[Mapping[str, Any]], Roles]
    groups: Callable[[Mapping[str, Any]], GroupSpec]
    params: tuple[Param, ...] = ()
    order: int = 100
