"""A dataset, its groups and a split as plain arrays. Everything fitted here is fitted on the training rows alone."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.split import halve
from core.data.text import encode_text
from core.types import BadInput, Dataset, Groups, Splits, Task

MAX_LEVELS = 50
OTHER, MISSING = "other", "missing"


@dataclass(frozen=True)
class Block:
    """Encoded columns: values (N, k) float32 and their k names."""

    values: np.ndarray
    names: tuple[str, ...]


def encode_number(values: np.ndarray, train: np.ndarray, name: str) -> Block:
    """Median-imputed and standardised with training statistics, clipped to 10 standard deviations; a second column
    says where the value was missing, if any is. Infinite values count as missing."""
    absent = ~np.isfinite(values)
    seen = values[train][~absent[train]]
    if len(seen) == 0:
        return Block(np.empty((len(values), 0), np.float32), ())
    size = np.abs(seen).max()
    size = size if size > 1e100 or 0 < size < 1e-100 else 1.0  # the squares of such numbers leave a float's range
    seen = seen / size
    filled = np.where(absent, np.median(seen), values / size)
    mean, scale = seen.mean(), seen.std()
    columns, names = [], []
    if scale > 1e-13 * max(1.0, abs(mean)):  # below it the differences are rounding errors
        columns, names = [np.clip((filled - mean) / scale, -10, 10)], [name]
    if absent.any() and 0 < absent[train].mean() < 1:
        columns, names = [*columns, absent.astype(float)], [*names, f"{name} missing"]
    empty = np.empty((len(values), 0))
    return Block(np.stack(columns, 1).astype(np.float32) if columns else empty.astype(np.float32), tuple(names))


def encode_words(column: pd.Series, train: np.ndarray, name: str) -> Block:
    """One-hot of the levels seen in training, at most 50 (rarer ones and unseen ones are "other"); missing is a level.
    A column of two levels gives one column."""
    codes, levels = pd.factorize(column.astype(str).where(column.notna(), MISSING), sort=True)
    count = np.bincount(codes[train], minlength=len(levels))
    kept = np.sort(np.argsort(-count, kind="stable")[: MAX_LEVELS if (count > 0).sum() > MAX_LEVELS else len(levels)])
    kept = kept[count[kept] > 0]
    target = np.full(len(levels), len(kept))
    target[kept] = np.arange(len(kept))
    if OTHER in levels[kept]:  # a level of that name takes in the rest
        target[target == len(kept)] = target[list(levels).index(OTHER)]
    place = target[codes]
    names = [f"{name} = {levels[k]}" for k in kept]
    if (place[train] == len(kept)).any():
        names.append(f"{name} = {OTHER}")
    if len(names) == 2:
        return Block((place == 1).astype(np.float32)[:, None], (names[1],))
    if len(names) < 2:
        return Block(np.empty((len(codes), 0), np.float32), ())
    return Block((place[:, None] == np.arange(len(names))).astype(np.float32), tuple(names))


def encode_column(column: pd.Series, train: np.ndarray, name: str) -> Block:
    """One feature column by its kind: numbers, dates (as days), booleans and words."""
    if pd.api.types.is_bool_dtype(column) or not (
        pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column)
    ):
        return encode_words(column, train, name)
    if pd.api.types.is_datetime64_any_dtype(column):
        column = column if column.dt.tz is None else column.dt.tz_convert("UTC").dt.tz_localize(None)
        days = column.astype("datetime64[s]").astype("int64").to_numpy() / 86_400
        return encode_number(np.where(column.isna(), np.nan, days), train, name)
    return encode_number(column.to_numpy(dtype=float, na_value=np.nan), train, name)


def encode_features(dataset: Dataset, train: np.ndarray) -> Block:
    """All features of a table (or the flattened image), in column order."""
    if dataset.images is not None:
        flat = dataset.images.reshape(len(dataset.images), -1).astype(np.float32)
        return Block(flat, tuple(f"pixel {k}" for k in range(flat.shape[1])))
    blocks = []
    for name in dataset.frame.columns:
        if name in dataset.roles.text:
            values, names = encode_text(dataset.frame[name], train, str(name), dataset.roles.text_encoder)
            blocks.append(Block(values, names))
        else:
            blocks.append(encode_column(dataset.frame[name], train, str(name)))
    values = np.concatenate([b.values for b in blocks], axis=1) if blocks else np.empty((len(dataset.y), 0))
    if values.shape[1] == 0:
        raise BadInput("Features", "no column that varies in the training rows", "at least one", "drop fewer columns")
    return Block(np.ascontiguousarray(values, np.float32), tuple(n for b in blocks for n in b.names))


def make_task(dataset: Dataset, groups: Groups, splits: Splits) -> Task:
    """The arrays the engine trains on.

    Raises:
        BadInput: the label is a number to predict (regression), a class is absent from training, or no feature varies.
    """
    if not dataset.classes:
        raise BadInput("Label", f"{dataset.roles.label}, a number to predict", "two or more classes for training",
                       "turn it into two classes with a threshold on the data page")  # fmt: skip
    absent = np.setdiff1d(np.arange(len(dataset.classes)), dataset.y[splits.train])
    if len(absent):
        raise BadInput("Label", f"no training row of class {dataset.classes[absent[0]]}", "every class in training",
                       "bring more rows of it or merge it with another class")  # fmt: skip
    block = encode_features(dataset, splits.train)
    n = len(dataset.y)
    w = np.ones(n, np.float32) if dataset.weight is None else dataset.weight.astype(np.float32)
    y, attr = dataset.y.astype(np.int64), groups.code.astype(np.int64)
    val_fit, val_select = halve(splits.val, (y * len(groups.labels) + attr)[splits.val], 0)
    print_of = hashlib.sha256()
    for part in (block.values, y, attr, w, *splits):
        print_of.update(np.ascontiguousarray(part).tobytes())
    print_of.update("\x1f".join((*groups.labels, *dataset.classes)).encode())
    shape = None if dataset.images is None else dataset.images.shape[1:4]
    return Task(
        name=dataset.name, title=dataset.title, x=block.values, y=y, attr=attr, w=w, classes=dataset.classes,
        attr_labels=groups.labels, reference=groups.reference, splits=splits, val_fit=val_fit, val_select=val_select,
        feature_names=block.names, image_shape=shape, fingerprint=print_of.hexdigest()[:16],
        weighted=dataset.weight is not None,
    )  # type: ignore[arg-type]  # fmt: skip
