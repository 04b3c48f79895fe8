"""What the registry holds, as lists for machines and tables for people."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from core import registry
from core.types import Param

WIDTH = 60


def param_facts(param: Param) -> dict[str, Any]:
    """A setting: its range (null where it has none) or choices, default and words."""
    kind = type(param.default) if param.is_number else float
    low, high = (kind(end) if math.isfinite(end) else None for end in (param.low, param.high))
    return {
        "name": param.name, "title": param.label, "default": param.default, "low": low, "high": high, "log": param.log,
        "choices": list(param.choices), "stage": param.stage, "symbol": param.symbol, "help": param.help,
    }  # fmt: skip


def list_methods() -> list[dict[str, Any]]:
    """All methods."""
    return [
        {
            "name": m.name, "title": m.title, "family": m.family, "summary": m.summary, "needs": sorted(m.needs),
            "params": [param_facts(p) for p in m.params], "source": m.source, "equation": m.equation,
            "papers": list(m.papers), "reconstruction": m.reconstruction or None, "known_failures": m.known_failures,
            "stacked": m.stacked,
        }
        for m in registry.methods().values()
    ]  # fmt: skip


def list_datasets() -> list[dict[str, Any]]:
    """All built-in data sets."""
    return [
        {
            "name": d.name, "title": d.title, "n_rows": d.card.n_rows, "n_columns": d.card.n_columns,
            "modality": d.card.modality, "label": d.card.label, "groups": d.card.groups, "source": d.card.source,
            "licence": d.card.licence, "credit": d.card.credit, "harms": list(d.card.harms),
            "params": [param_facts(p) for p in d.params],
        }
        for d in registry.datasets().values()
    ]  # fmt: skip


def list_metrics() -> list[dict[str, Any]]:
    """All metrics."""
    return [
        {
            "name": m.name, "on": m.on, "title": m.title, "help": m.help, "equation": m.equation,
            "bounds": [end if math.isfinite(end) else None for end in m.bounds],
            "higher_is_better": m.higher_is_better, "binary": m.binary, "undefined": m.undefined, "aka": dict(m.aka),
            "source": m.source,
        }
        for m in registry.metrics("").values()
    ]  # fmt: skip


LISTS: dict[str, tuple[Callable[[], list[dict[str, Any]]], str]] = {
    "methods": (list_methods, "list what can be trained, with settings and ranges"),
    "datasets": (list_datasets, "list the built-in data sets"),
    "metrics": (list_metrics, "list what can be measured"),
}


def show(name: str, form: str) -> str:
    """The list as JSON or as a table."""
    rows = LISTS[name][0]()
    if form == "json":
        return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False)
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "methods": {"family": lambda r: r["family"], "settings": lambda r: ", ".join(map(_setting, r["params"]))},
        "datasets": {"rows": lambda r: f"{r['n_rows']:,}", "kind": lambda r: r["modality"],
                     "licence": lambda r: r["licence"]},
        "metrics": {"on": lambda r: r["on"],
                    "better": lambda r: {True: "higher", False: "lower", None: "neither"}[r["higher_is_better"]],
                    "undefined where": lambda r: r["undefined"]},
    }[name]
    head = ["name", "title", *columns]
    return table(head, [[r["name"], r["title"], *(read(r) for read in columns.values())] for r in rows])


def _setting(param: dict[str, Any]) -> str:
    if param["low"] is not None:
        return f"{param['name']} {param['low']:g}–{param['high']:g} ({param['default']:g})"
    return f"{param['name']} ({param['default']})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Text in columns; long cells go on below, so nothing is cut off."""
    cells = [[textwrap.wrap(str(cell), WIDTH) or [""] for cell in row] for row in [head, *rows]]
    widths = [max(len(line) for row in cells for line in row[k]) for k in range(len(head))]
    lines = []
    for row in cells:
        for k in range(max(map(len, row))):
            parts = [(cell[k] if k < len(cell) else "").ljust(width) for cell, width in zip(row, widths, strict=True)]
            lines.append("  ".join(parts).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
