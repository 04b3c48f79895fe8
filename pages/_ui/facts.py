"""What the catalogue says about the built-in sets in numbers, counted once and kept in assets/data/facts.json.

`python -m pages._ui.facts` counts them anew; a test compares the file with the data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from core import registry
from core.data.groups import make_groups
from core.data.load import default_study, load_dataset
from core.types import BadInput, DataSpec
from pages._ui.held import ROOT
from pages._ui.text import count, percent

FILE = ROOT / "assets" / "data" / "facts.json"


@cache
def known() -> Mapping[str, Mapping[str, Any]]:
    """Facts of each built-in set by name; sets that were not counted yet are absent."""
    return MappingProxyType(json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {})


def measure(name: str) -> dict[str, Any]:
    """Count one built-in set with its own roles and groups.

    Returns:
        n: rows with a label; positive: word of the positive class or None; share: its share of the rows or None;
        n_classes: 0 for a number; n_groups; smallest: [n, class, group], the smallest cell that is not empty.
    """
    spec = default_study(name)
    data = load_dataset(spec, Path())
    groups = make_groups(data, spec.groups)
    binary = len(data.classes) == 2
    facts: dict[str, Any] = {
        "n": len(data.y), "positive": data.classes[1] if binary else None,
        "share": round(float(np.mean(data.y == 1)), 5) if binary else None,
        "n_classes": len(data.classes), "n_groups": len(groups.labels), "smallest": None,
    }
    if data.classes:
        cells = np.bincount(data.y * len(groups.labels) + groups.code, minlength=len(data.classes) * len(groups.labels))
        small = int(np.argmin(np.where(cells > 0, cells, cells.max() + 1)))
        y, attr = divmod(small, len(groups.labels))
        facts["smallest"] = [int(cells[small]), data.classes[y], groups.labels[attr]]
    return facts


def in_words(name: str) -> str:
    """ "48,842 rows, 23.9 % >50K, 10 groups", not escaped."""
    facts = known().get(name)
    if facts is None:
        return count(registry.dataset(name).card.n_rows, "row")
    if facts["share"] is not None:
        middle = f"{percent(facts['share'])} {facts['positive']}"
    else:
        middle = count(facts["n_classes"], "class", "classes") if facts["n_classes"] else "a number to predict"
    return f"{count(facts['n'], 'row')}, {middle}, {count(facts['n_groups'], 'group')}"


def title_of(data: DataSpec) -> str:
    """The data set's title, or the file's name."""
    if data.source == "builtin":
        try:
            return registry.dataset(data.name).title
        except BadInput:
            return data.name
    return data.name or Path(data.path).name


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: measure(name) for name in registry.datasets()}, indent=1, ensure_ascii=False)
                    + "\n", encoding="utf-8")
