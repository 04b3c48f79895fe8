"""What every built-in data set must keep to: DATASET of core/data/sets/<name>.py. Each check raises AssertionError with
a hint. Ids are name:check, for example "adult:groups_in_every_part"; no check looks at the name.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from core.data.encode import encode_features, make_task
from core.data.groups import make_groups
from core.data.leaks import find_leaks
from core.data.roles import label_values, make_dataset
from core.data.split import make_splits
from core.types import BadInput, Dataset, DatasetEntry, Param, SplitSpec, Table

SECONDS = 2.0
MODALITIES = ("table", "image", "text")


def variants(entry: DatasetEntry) -> Iterator[dict[str, Any]]:
    """The default options, and every option on its own at its other choices or its two ends."""
    yield {}
    for param in entry.params:
        yield from ({param.name: value} for value in _values(param) if value != param.default)


def _values(param: Param) -> tuple[Any, ...]:
    if param.is_number:
        kind = type(param.default)
        return (kind(param.low), kind(param.high))
    return param.choices or ((True, False) if isinstance(param.default, bool) else ())


def _dataset(entry: DatasetEntry, options: Mapping[str, Any]) -> Dataset:
    return make_dataset(entry.load(options), entry.roles(options), entry.name, entry.title)


def check_words(entry: DatasetEntry) -> None:
    """The card and the options say in plain sentences what a person must know."""
    card = entry.card
    for part in ("source", "licence", "credit", "label", "groups"):
        assert getattr(card, part).strip(), f"fill in `{part}` of the card"
    assert entry.title.strip(), "give it a title"
    assert len(card.harms) >= 3, "the card names at least three harms and traps; every data set has them"
    for sentence in (*card.harms, card.label, card.groups):
        assert sentence.strip().endswith("."), f"{sentence[:40]!r} on the card is not a whole sentence"
        assert len(sentence) >= 25, f"{sentence!r} on the card says too little"
    assert card.modality in MODALITIES, f"`modality` is one of {MODALITIES}"
    assert entry.load.__module__.rsplit(".", 1)[-1] == entry.name, "the module is named like the data set"
    for param in entry.params:
        assert param.title and param.help.endswith("."), f"give option {param.name} a title and a sentence of help"
        assert param.check(param.default) == param.default, f"option {param.name} refuses its own default"


def check_card_counts(entry: DatasetEntry) -> None:
    """The card's numbers of rows and columns are those of the table; an option may only leave rows out."""
    rows = [len(entry.load(options).frame) for options in variants(entry)]
    assert max(rows) == entry.card.n_rows, f"`n_rows` is {entry.card.n_rows}, the most any option loads is {max(rows)}"
    columns = entry.load({}).frame.shape[1]
    assert columns == entry.card.n_columns, f"`n_columns` is {entry.card.n_columns}, the table has {columns}"


def check_options(entry: DatasetEntry) -> None:
    """Unknown options and values outside their range are refused in one sentence, everywhere."""
    wrong: list[dict[str, Any]] = [{"no such option": 1}]
    for param in entry.params:
        wrong.append({param.name: (param.high or 0) + 1 if param.is_number else "no such value"})
    for options in wrong:
        for part in (entry.load, entry.roles, entry.groups):
            try:
                part(options)
            except BadInput:
                continue
            raise AssertionError(f"{part.__name__} takes the options {options}; check them against `params`")


def check_dtypes(entry: DatasetEntry) -> None:
    """Columns are numbers or text, never mixed, never infinite; text is not empty; images are float32 in [0, 1]."""
    for options in variants(entry):
        table = entry.load(options)
        assert isinstance(table, Table) and list(table.frame.index) == list(range(len(table.frame))), "number the rows"
        assert len(set(table.frame.columns)) == table.frame.shape[1], "two columns share a name"
        for name, column in table.frame.items():
            if pd.api.types.is_numeric_dtype(column):
                assert not np.isinf(column.to_numpy(float)).any(), f"{name} holds infinite values"
            else:
                assert isinstance(column.dtype, pd.StringDtype), f"{name} is {column.dtype}; make it numbers or text"
                assert not column.isin(["", "?", "NA", "nan"]).any(), f"{name} hides missing values in words"
        if table.images is not None:
            _check_images(table)


def _check_images(table: Table) -> None:
    images = table.images
    assert images is not None and images.dtype == np.float32 and images.ndim == 4, "images are (N, c, h, w) float32"
    assert len(images) == len(table.frame), "one image a row"
    assert images.min() >= 0 and images.max() <= 1, "pixels leave [0, 1]"


def check_roles(entry: DatasetEntry) -> None:
    """Roles name columns that exist, each once; dropped ones have a reason; positive is a word of the label."""
    for options in variants(entry):
        frame, roles = entry.load(options).frame, entry.roles(options)
        named = [roles.label, *roles.attributes, *filter(None, (roles.weight, roles.key)), *roles.text, *roles.dropped]
        missing = [c for c in named if c not in frame.columns]
        assert not missing, f"the roles name {missing}, which the table does not have"
        assert len(set(named)) == len(named), "the roles name a column twice"
        assert all(len(why) > 10 for why in roles.dropped.values()), "give every dropped column its reason"
        assert roles.attributes, "name at least one attribute"
        if roles.task == "binary" and roles.threshold is None:
            words = [word for word, _ in label_values(frame, roles.label)]
            assert roles.positive in words, f"positive is {roles.positive!r}, the label has {words}"
            assert not any(word.isdigit() for word in words), f"the classes {words} are codes; use words"
        unknown = [a.column for a in entry.groups(options).attributes if a.column not in roles.attributes]
        assert not unknown, f"the groups use {unknown}, which the roles do not name as attributes"


def check_groups_in_every_part(entry: DatasetEntry) -> None:
    """Every attribute group is in training, validation and test, or the card names it; labels are words."""
    told = " ".join((entry.card.groups, *entry.card.harms))
    for options in variants(entry):
        data = _dataset(entry, options)
        groups = make_groups(data, entry.groups(options))
        assert len(groups.labels) >= 2, "one group only"
        assert not any(label.replace(".", "").isdigit() for label in groups.labels), f"{groups.labels} are codes"
        for part, rows in make_splits(data, groups, SplitSpec())._asdict().items():
            absent = [groups.labels[k] for k in np.setdiff1d(np.arange(len(groups.labels)), groups.code[rows])]
            untold = [label for label in absent if label not in told]
            assert not untold, f"{untold} have no {part} row; merge them (`min_rows`) or say why on the card"


def check_encoded(entry: DatasetEntry) -> None:
    """After encoding nothing is missing, codes are in range, weights are positive with mean 1."""
    for options in variants(entry):
        data = _dataset(entry, options)
        groups = make_groups(data, entry.groups(options))
        splits = make_splits(data, groups, SplitSpec())
        if data.roles.task == "regression":
            assert np.isfinite(data.y).all(), "a label is missing or infinite"
            x = encode_features(data, splits.train).values
        else:
            task = make_task(data, groups, splits)
            assert set(np.unique(task.y)) == set(range(task.n_classes)), "a class has no row"
            assert task.w.min() > 0 and abs(float(task.w.mean(dtype=float)) - 1) < 1e-4, "weights have mean 1"
            x = task.x
        assert x.dtype == np.float32 and np.isfinite(x).all(), "the encoded features hold NaN or infinity"
        assert x.shape[1] > 0, "no feature is left"


def check_no_leak(entry: DatasetEntry) -> None:
    """No feature alone gives the label away; such columns are dropped with a reason."""
    for options in ({}, *({p.name: True} for p in entry.params if p.default is False)):
        data = _dataset(entry, options)
        if data.roles.task == "regression" or data.images is not None:
            continue
        label = pd.Series(data.y, index=data.frame.index, name=data.roles.label)
        leaks = find_leaks(pd.concat([data.frame, label], axis=1), data.roles.label)
        assert not leaks, f"drop these with a reason: {leaks}"


def check_offline(entry: DatasetEntry) -> None:
    """Loading asks no other machine."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("loading opens a network connection; ship the file in assets/data")

    with mock.patch.object(socket.socket, "connect", refuse), mock.patch.object(socket, "getaddrinfo", refuse):
        entry.load({})


def check_quick(entry: DatasetEntry) -> None:
    """Loading takes less than two seconds (the best of three, since the machine may be busy)."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        entry.load({})
        best = min(best, time.perf_counter() - start)
        if best < SECONDS:
            return
    raise AssertionError(f"loading takes {best:.1f} s, at most {SECONDS:g}; store the file in a quicker form")


def check_repeatable(entry: DatasetEntry) -> None:
    """Loading twice gives the same fingerprint, in tables of their own; a changed value changes it."""
    roles = entry.roles({})
    first, second = entry.load({}), entry.load({})
    prints = [make_dataset(t, roles, entry.name, entry.title).fingerprint for t in (first, second)]
    assert prints[0] == prints[1], "two loads differ; draw with a seed of your own"
    first.frame.iloc[0, 0] = first.frame.iloc[1:, 0].dropna().loc[lambda c: c != first.frame.iloc[0, 0]].iloc[0]
    changed = make_dataset(first, roles, entry.name, entry.title).fingerprint
    again = make_dataset(entry.load({}), roles, entry.name, entry.title).fingerprint
    assert changed != prints[0], "a changed value leaves the fingerprint as it was"
    assert again == prints[0], "two loads share one table; return a copy"


CHECKS: Mapping[str, Callable[[DatasetEntry], None]] = {
    "words": check_words,
    "card_counts": check_card_counts,
    "options": check_options,
    "dtypes": check_dtypes,
    "roles": check_roles,
    "groups_in_every_part": check_groups_in_every_part,
    "encoded": check_encoded,
    "no_leak": check_no_leak,
    "offline": check_offline,
    "quick": check_quick,
    "repeatable": check_repeatable,
}


def failures(entry: DatasetEntry) -> Iterator[str]:
    """Findings, "name:check: what is wrong", for every check that the data set does not pass."""
    for name, check in CHECKS.items():
        try:
            check(entry)
        except Exception as wrong:  # any error of a plug-in is a finding about that plug-in
            yield f"{entry.name}:{name}: {wrong}"
