"""What is in the table: classes by group, missing values by group, and one line a column."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.data.groups import is_numeric, number, size_table
from core.types import Dataset, Groups


def class_columns(dataset: Dataset) -> tuple[str, ...]:
    """The names of the class columns of `class_group_table`: the classes' words, or "class n" where a class is called
    like a column that is there already."""
    return tuple(f"class {word}" if word in ("group", "n", "share") else word for word in dataset.classes)


def class_group_table(dataset: Dataset, groups: Groups) -> pd.DataFrame:
    """One row a group: group, n, share of all rows, and for each class its share within the group (columns named
    by `class_columns`); for a numeric label its mean and standard deviation."""
    n = np.bincount(groups.code, minlength=len(groups.labels))
    frame = pd.DataFrame({"group": groups.labels, "n": n, "share": n / max(n.sum(), 1)})
    if not dataset.classes:
        y = dataset.y.astype(float)
        mean = np.bincount(groups.code, y, len(n)) / n
        frame[f"mean {dataset.roles.label}"] = mean
        square = np.bincount(groups.code, y * y, len(n)) / n
        frame["standard deviation"] = np.sqrt(np.maximum(square - mean**2, 0))
        return frame
    sizes = size_table(dataset, groups)["n"].to_numpy().reshape(len(groups.labels), len(dataset.classes))
    for k, name in enumerate(class_columns(dataset)):
        frame[name] = sizes[:, k] / np.maximum(n, 1)
    return frame


def missing_table(dataset: Dataset, groups: Groups) -> pd.DataFrame:
    """Columns with missing values: column, missing (rows), share, and the share within every group."""
    absent = dataset.frame.isna()
    absent = absent.loc[:, absent.any()]
    n = np.bincount(groups.code, minlength=len(groups.labels))
    rows = []
    for name in absent.columns:
        column = absent[name].to_numpy(float)
        within = np.bincount(groups.code, column, len(n)) / np.maximum(n, 1)
        rows.append([str(name), int(column.sum()), column.mean(), *within])
    labels = [f"group {word}" if word in ("column", "missing", "share") else word for word in groups.labels]
    return pd.DataFrame(rows, columns=["column", "missing", "share", *labels])


def kind_of(column: pd.Series) -> str:
    """ "number", "date", "yes/no" or "words"."""
    if pd.api.types.is_bool_dtype(column):
        return "yes/no"
    if is_numeric(column):
        return "number"
    return "date" if pd.api.types.is_datetime64_any_dtype(column) else "words"


def column_table(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a column: column, kind, missing (share), distinct (values), example (commonest values or a range)."""
    rows = []
    for name in frame.columns:
        column = frame[name]
        seen = column.dropna()
        if len(seen) == 0:
            example = ""
        elif kind_of(column) == "number" and seen.nunique() > 5:
            example = f"{number(float(seen.min()))} to {number(float(seen.max()))}"
        elif kind_of(column) == "date":
            example = f"{seen.min():%Y-%m-%d} to {seen.max():%Y-%m-%d}"
        else:
            example = ", ".join(str(v)[:40] for v in seen.value_counts().index[:3])
        rows.append({"column": str(name), "kind": kind_of(column), "missing": float(column.isna().mean()),
                     "distinct": int(seen.nunique()), "example": example})  # fmt: skip
    return pd.DataFrame(rows, columns=["column", "kind", "missing", "distinct", "example"])
