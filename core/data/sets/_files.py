"""What the built-in data sets share: reading the shipped files, checking options, turning codes into words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from core.types import BadInput, Param

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "data"


def read_csv(name: str, missing: tuple[str, ...] = ()) -> pd.DataFrame:
    """A shipped CSV file. Only empty cells and the words of `missing` are missing: "none" and "NA" stay words."""
    return pd.read_csv(FOLDER / name, keep_default_na=False, na_values=["", *missing])


def settings(params: tuple[Param, ...], options: Mapping[str, Any]) -> dict[str, Any]:
    """Every option with its value, defaults filled in.

    Raises:
        BadInput: an option that the data set does not have, or a value that its Param refuses.
    """
    known = {p.name: p for p in params}
    for name in options:
        if name not in known:
            allowed = ", ".join(known) or "no option"
            raise BadInput("Data set option", repr(name), allowed, "remove it")
    return {name: p.check(options.get(name, p.default)) for name, p in known.items()}


def in_words(column: pd.Series, words: Mapping[Any, str]) -> pd.Series:
    """Codes replaced by words; missing stays missing.

    Raises:
        BadInput: a code without a word, so that a changed file is noticed rather than read as missing.
    """
    unknown = sorted(map(str, set(column.dropna().unique()) - set(words)))
    if unknown:
        raise BadInput(f"Column {column.name}", "the values " + ", ".join(unknown[:5]),
                       "one of " + ", ".join(map(str, words)), "restore the shipped file")  # fmt: skip
    return column.map(dict(words)).astype("str")


def yes_no(column: pd.Series, yes: str, no: str) -> pd.Series:
    """A column of "yes" and "no", or of 1 and 0, in the words of the matter."""
    return in_words(column, {"yes": yes, "no": no} if pd.api.types.is_string_dtype(column) else {1: yes, 0: no})
