"""What every reader shares: limits, names, marks of missing values, and columns of text as numbers, dates or yes/no."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pandas as pd

from core.types import BadInput

MISSING_MARKS = ("", '""', "NA", "N/A", "n/a", "#N/A", "?", "null", "NULL", "None", "none", "nan", "NaN", "NAN", "<NA>",
                 "-")  # fmt: skip
MAX_CELLS = 200_000_000
MAX_NAME = 200
LONG_NUMBER = r"[+-]?\d{16,}"  # beyond what a float holds exactly: a number of an account, not an amount


def check_size(rows: int, columns: int, max_rows: int, max_columns: int) -> None:
    """BadInput for more rows, columns or cells than allowed."""
    if rows > max_rows:
        raise BadInput("File", f"more than {max_rows:,} rows", f"at most {max_rows:,} rows", "send a sample")
    if columns > max_columns:
        raise BadInput("File", f"{columns:,} columns", f"at most {max_columns:,} columns", "keep the columns you need")
    if rows * columns > MAX_CELLS:
        found = f"{rows * columns:,} cells"
        raise BadInput("File", found, f"at most {MAX_CELLS:,} cells", "send fewer rows or columns")


def check_names(names: list[str], max_columns: int) -> list[str]:
    """Names without surrounding whitespace, or BadInput where one is empty, double or longer than 200 characters."""
    names = [n.strip().lstrip("\ufeff") for n in names]
    check_size(0, len(names), 1, max_columns)
    field = "Column names"
    for k, name in enumerate(names):
        if not name:
            raise BadInput(field, f"no name for column {k + 1}", "a name for every column", "name it in the first line")
        if len(name) > MAX_NAME:
            raise BadInput(field, f"a name of {len(name):,} characters", f"at most {MAX_NAME}", "shorten it")
    doubles = [n for n, times in Counter(names).items() if times > 1]
    if doubles:
        raise BadInput(field, f"{doubles[0]!r} more than once", "every name once", "rename or remove one of them")
    return names


def clean_words(column: pd.Series) -> pd.Series:
    """Text without surrounding whitespace; marks of missing values are missing."""
    column = column.astype("str").str.strip()
    return column.where(~column.isin(MISSING_MARKS))


def type_words(column: pd.Series) -> pd.Series:
    """A column of text as numbers, yes/no or dates where every value is one, else as clean text.

    Numbers with leading zeros, and whole ones of 16 digits or more, stay text: they name things, and a float would
    round two of them to one.
    """
    column = clean_words(column)
    seen = column.dropna()
    if len(seen) == 0:
        return column
    named = seen.str.match(r"^0\d").any() or seen.str.fullmatch(LONG_NUMBER).any()
    numbers = None if named else pd.to_numeric(seen, errors="coerce")
    if numbers is not None and numbers.notna().all():
        whole = bool((numbers == numbers.round()).all()) and len(seen) == len(column)
        return pd.to_numeric(column).astype("int64" if whole and numbers.abs().max() < 2**53 else "float64")
    if set(seen.str.lower().unique()) <= {"true", "false"}:
        return column.str.lower() == "true" if len(seen) == len(column) else column.str.capitalize()
    dates = _dates(column, seen)
    return column if dates is None else dates


def _dates(column: pd.Series, seen: pd.Series) -> pd.Series | None:
    """Dates such as 2024-01-31, 31.1.2024 or 1/31/2024, where every value is one and the order of day and month shows
    in some value; None otherwise."""
    head = seen.head(50)
    if head.str.match(r"^\d{4}-\d{2}-\d{2}([T ].*)?$").all():
        form = "ISO8601"
    elif head.str.fullmatch(r"\d{1,2}([./-])\d{1,2}\1\d{4}").all():
        pieces = seen.str.extract(r"^(\d{1,2})([./-])(\d{1,2})")
        first, second = pd.to_numeric(pieces[0]).max(), pd.to_numeric(pieces[2]).max()
        if (first > 12) == (second > 12) or pieces[1].nunique() != 1:
            return None
        form = pieces[1].iloc[0].join(["%d", "%m", "%Y"] if first > 12 else ["%m", "%d", "%Y"])
    else:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dates = pd.to_datetime(column, errors="coerce", format=form, utc=True).dt.tz_localize(None)
    return dates if dates.notna().sum() == len(seen) else None


def type_values(column: pd.Series) -> pd.Series:
    """A column of Python values, as JSON and Excel give them: numbers, yes/no, dates, or text."""
    seen = column.dropna()
    kinds = {bool if isinstance(v, bool) else float if isinstance(v, (int, float)) else type(v) for v in seen}
    if kinds == {float} and all(abs(v) < 2**53 or isinstance(v, float) for v in seen):
        return pd.to_numeric(column)
    if kinds == {bool} and len(seen) == len(column):
        return column.astype(bool)
    if kinds and all(hasattr(kind, "year") for kind in kinds):
        return pd.to_datetime(column, errors="coerce")
    return type_words(column.map(lambda v: v if v is None else str(v)).astype("str"))


def plain_column(column: pd.Series) -> pd.Series:
    """A column as the rest of the product knows them: int or float without infinity, bool, datetime without time zone,
    or text."""
    if pd.api.types.is_bool_dtype(column) and column.dtype == np.dtype(bool):
        return column
    if pd.api.types.is_datetime64_any_dtype(column):
        return column if column.dt.tz is None else column.dt.tz_convert("UTC").dt.tz_localize(None)
    if pd.api.types.is_timedelta64_dtype(column):
        return column.dt.total_seconds()
    if pd.api.types.is_float_dtype(column):
        return column.astype("float64").replace([np.inf, -np.inf], np.nan)
    if pd.api.types.is_integer_dtype(column) and isinstance(column.dtype, np.dtype):
        return column
    return clean_words(column)
