"""Attribute groups: intersections of the chosen columns, in words, with their sizes and what those sizes allow."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.types import AttributeSpec, BadInput, Dataset, Groups, GroupSpec, Splits

MISSING = "missing"
OTHER = "other (merged)"
MAX_GROUPS = 500
PROTECTED_AGE = 40.0
BARE_WORDS = ("yes", "no", "y", "n", "true", "false", "none", "unknown")


def is_numeric(column: pd.Series) -> bool:
    """True for a column of numbers (booleans are words)."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def number(value: float) -> str:
    """A number as people write it: 40, 2.5, 1984 (years have no comma), 10,000."""
    if float(value).is_integer():
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.0f}"
    return f"{value:,.4g}" if abs(value) < 1_000 else f"{value:,.1f}"


def suggest_groups(dataset: Dataset) -> GroupSpec:
    """The attributes of the roles, in their order, while the groups they make have 100 rows on average (4 to 64
    groups). Ages are cut at 40, other numbers with more than 10 values into quarters."""
    specs: list[AttributeSpec] = []
    room = float(np.clip(len(dataset.y) // 100, 4, 64))
    for name in dataset.roles.attributes:
        spec = _suggested(name, dataset.attributes[name])
        n_groups = 2 if spec.edges else spec.quantiles or max(int(dataset.attributes[name].nunique()), 1)
        if n_groups > MAX_GROUPS or (specs and n_groups > room):
            continue
        specs.append(spec)
        room /= n_groups
    return GroupSpec(attributes=tuple(specs))


def _suggested(name: str, column: pd.Series) -> AttributeSpec:
    if not is_numeric(column) or column.nunique() <= 10:
        return AttributeSpec(name)
    if "age" in re.split(r"[^a-z]+", name.lower()) and column.min() < PROTECTED_AGE <= column.max():
        return AttributeSpec(name, edges=(PROTECTED_AGE,))
    return AttributeSpec(name, quantiles=4)


def bin_labels(name: str, edges: Sequence[float]) -> tuple[str, ...]:
    """Words for the len(edges) + 1 bins of `x < edges[0]`, ..., `x >= edges[-1]`: "age under 25", "age 25–44"."""
    shown = [number(e) for e in edges]
    if len(set(shown)) < len(shown):
        shown = [f"{e:.17g}" for e in edges]
    whole = all(float(e).is_integer() for e in edges)
    words = [f"{name} under {shown[0]}"]
    for k, (low, high) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        top = number(high - 1) if whole and high - low > 1 else f"under {shown[k + 1]}"
        words.append(f"{name} {number(low)}" if whole and high - low == 1 else f"{name} {shown[k]}–{top}")
    return (*words, f"{name} {shown[-1]}+")


def _edges(spec: AttributeSpec, values: np.ndarray) -> tuple[float, ...]:
    field = f"Groups of {spec.column}"
    if spec.edges:
        edges = tuple(float(e) for e in spec.edges)
        if not np.isfinite(edges).all() or list(edges) != sorted(set(edges)):
            raise BadInput(
                field, f"edges {', '.join(map(number, edges))}", "different numbers in ascending order", "sort them"
            )
        return edges
    if not 2 <= spec.quantiles <= 20:
        raise BadInput(field, f"{spec.quantiles} parts", "2 to 20 parts of equal size", "use 4")
    inner = np.quantile(values, np.arange(1, spec.quantiles) / spec.quantiles)
    if (values % 1 == 0).all():
        inner = np.ceil(inner)  # the same parts, with edges that occur
    inner = inner[(inner > values.min()) & (inner <= values.max())]
    rounded = tuple(dict.fromkeys(float(f"{e:.6g}") for e in inner))
    edges = rounded if len(rounded) == len(np.unique(inner)) else tuple(map(float, np.unique(inner)))
    if not edges:
        raise BadInput(field, "a column of one value", "a column with at least two values", "choose another column")
    return edges


def attribute_words(dataset: Dataset, spec: AttributeSpec) -> tuple[np.ndarray, tuple[str, ...]]:
    """(N,) codes and the words of one attribute; a missing value is the word "missing" (last)."""
    if spec.column not in dataset.attributes:
        known = ", ".join(map(str, dataset.attributes.columns)) or "no attribute"
        raise BadInput("Groups", f"the attribute {spec.column!r}", known, "choose an attribute of the data page")
    column = dataset.attributes[spec.column]
    absent = column.isna().to_numpy()
    if absent.all():
        return np.zeros(len(absent), np.int64), (MISSING,)
    if spec.edges or spec.quantiles:
        if not is_numeric(column):
            raise BadInput(
                f"Groups of {spec.column}", "a column of words", "a column of numbers to cut", "do not cut it"
            )
        values = column.to_numpy(dtype=float, na_value=np.nan)
        edges = _edges(spec, values[~absent])
        codes, words = np.searchsorted(edges, values, side="right"), bin_labels(spec.column, edges)
    else:
        codes, words = _words_of(column, spec)
    if absent.any() and MISSING not in words:
        words = (*words, MISSING)
    codes = np.where(absent, words.index(MISSING), codes) if absent.any() else codes
    return codes.astype(np.int64), tuple(words)


def _words_of(column: pd.Series, spec: AttributeSpec) -> tuple[np.ndarray, tuple[str, ...]]:
    codes, values = pd.factorize(column, sort=True)
    if len(values) > MAX_GROUPS:
        hint = "cut it into parts" if is_numeric(column) else "choose another column or merge its values"
        raise BadInput(f"Groups of {spec.column}", f"{len(values):,} different values", f"at most {MAX_GROUPS}", hint)
    raw = [number(v) if is_numeric(column) else str(v) for v in values]
    shown = [spec.words.get(r) or _with_name(spec.column, r, column) for r in raw]
    unique = tuple(dict.fromkeys(shown))
    return np.array([unique.index(w) for w in shown], dtype=np.int64)[codes], unique


def _with_name(name: str, word: str, column: pd.Series) -> str:
    """A value that says nothing by itself (a number, yes, no) after the name of its column."""
    if pd.api.types.is_bool_dtype(column):
        return f"{name}: {'yes' if word == 'True' else 'no'}"
    if is_numeric(column):
        return f"{name} {word}"
    return f"{name}: {word}" if word.lower() in BARE_WORDS or word.isdigit() else word


def make_groups(dataset: Dataset, spec: GroupSpec) -> Groups:
    """Observed intersections of the attributes, rare ones merged, in the asked order.

    Without attributes everyone is in one group, "everyone".
    """
    n = len(dataset.y)
    if not spec.attributes:
        return Groups(np.zeros(n, np.int64), ("everyone",), ({},))
    names = [a.column for a in spec.attributes]
    if len(set(names)) < len(names):
        raise BadInput("Groups", "an attribute named twice", "every attribute once", "remove one of them")
    per = [attribute_words(dataset, a) for a in spec.attributes]
    flat = np.ravel_multi_index([codes for codes, _ in per], [len(words) for _, words in per])
    cells, code = np.unique(flat, return_inverse=True)
    values = np.stack(np.unravel_index(cells, [len(words) for _, words in per]), axis=1)
    parts = [{a: per[k][1][v] for k, (a, v) in enumerate(zip(names, row, strict=True))} for row in values]
    labels = [_label(part) for part in parts]
    if len(set(labels)) < len(labels):  # values with commas can read alike
        labels = [", ".join(f"{name} {word!r}" for name, word in part.items()) for part in parts]
    code, labels, parts, merged = _merge(code, labels, parts, spec.min_rows)
    if len(labels) > MAX_GROUPS:
        raise BadInput(
            "Groups", f"{len(labels):,} groups", f"at most {MAX_GROUPS}", "take fewer attributes or merge rare ones"
        )
    return _ordered(code, labels, parts, merged, spec)


def _label(part: dict[str, str]) -> str:
    return ", ".join(f"{name} missing" if word == MISSING else word for name, word in part.items())


def _merge(code, labels, parts, min_rows):
    if isinstance(min_rows, bool) or not isinstance(min_rows, int) or min_rows < 0:
        raise BadInput("Smallest group", repr(min_rows), "a whole number of rows, 0 or more", "use 0 to merge nothing")
    sizes = np.bincount(code, minlength=len(labels))
    rare = sizes < min_rows
    if rare.sum() < 2:
        return code, labels, parts, ()
    keep = np.flatnonzero(~rare)
    target = np.full(len(labels), len(keep))
    target[keep] = np.arange(len(keep))
    together = {name: OTHER for name in parts[0]}
    merged = tuple(labels[k] for k in np.flatnonzero(rare))
    return target[code], [labels[k] for k in keep] + [OTHER], [parts[k] for k in keep] + [together], merged


def _ordered(code, labels, parts, merged, spec: GroupSpec) -> Groups:
    sizes = np.bincount(code, minlength=len(labels))
    if spec.order not in ("size", "name"):
        raise BadInput("Order of groups", repr(spec.order), "size or name", "use size")
    by = (lambda k: (-sizes[k], labels[k])) if spec.order == "size" else (lambda k: labels[k])
    order = sorted(range(len(labels)), key=by)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    words = tuple(labels[k] for k in order)
    if spec.reference and spec.reference not in words:
        raise BadInput(
            "Reference group", repr(spec.reference), "one of " + "; ".join(words[:8]), "choose a group from the list"
        )
    reference = words.index(spec.reference) if spec.reference else int(np.argmax(sizes[order]))
    return Groups(place[code].astype(np.int64), words, tuple(parts[k] for k in order), reference, merged)


def half_width(n: int) -> float:
    """Half the width of the Wilson 95 % interval of a rate of one half on n rows: the best a rate is known to."""
    if n <= 0:
        return 0.5
    z2 = 1.959963984540054**2
    return float(np.sqrt(z2 * (0.25 * n + z2 / 4)) / (n + z2))


def size_table(dataset: Dataset, groups: Groups, splits: Splits | None = None) -> pd.DataFrame:
    """One row per group and class (group, class, n, share, n_train, n_val, n_test, warning), classes only where the
    label has them. The warning says in words what n test rows cannot tell."""
    n_classes = max(len(dataset.classes), 1)
    y = dataset.y.astype(np.int64) if dataset.classes else np.zeros(len(dataset.y), np.int64)
    cells = groups.code * n_classes + y
    size = len(groups.labels) * n_classes
    count = np.bincount(cells, minlength=size)
    frame = pd.DataFrame({
        "group": np.repeat(np.array(groups.labels, dtype=object), n_classes),
        "class": np.tile(np.array(dataset.classes or ("all rows",), dtype=object), len(groups.labels)),
        "n": count, "share": count / max(len(y), 1),
    })  # fmt: skip
    if splits is None:
        return frame
    for part, rows in splits._asdict().items():
        frame[f"n_{part}"] = np.bincount(cells[rows], minlength=size)
    frame["warning"] = [size_warning(n, t) for n, t in zip(frame["n_test"], frame["n_train"], strict=True)]
    return frame


def size_warning(n_test: int, n_train: int) -> str:
    """ "" where 100 or more test rows make a rate known to 10 points, else one sentence."""
    if n_test == 0:
        return "no test rows: its rates are undefined"
    if n_train == 0:
        return "no training rows: nothing can be learned about it"
    if n_test >= 100:
        return ""
    return f"{n_test} test rows: a rate is known to ±{round(100 * half_width(n_test))} points at best"
