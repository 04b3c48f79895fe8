"""Finds the one constant that each plug-in module owns: METHOD, METRIC, DATASET, NET.

A plug-in is found by its place: every module below the kind's package is imported once and asked for the constant.
Nothing is registered by hand; a module without the constant is a helper and is passed over.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from core.types import BadInput, DatasetEntry, Method, Metric, Net

KINDS = {
    "method": ("core.methods", "METHOD"),
    "metric": ("core.metrics", "METRIC"),
    "dataset": ("core.data.sets", "DATASET"),
    "architecture": ("core.nn", "NET"),
}


@cache
def _found(kind: str) -> Mapping[str, Any]:
    package, constant = KINDS[kind]
    root = importlib.import_module(package)
    plugins = []
    for module in pkgutil.walk_packages(root.__path__, prefix=f"{package}."):
        plugin = getattr(importlib.import_module(module.name), constant, None)
        if plugin is not None:
            plugins.append(plugin)
    plugins.sort(key=lambda p: (getattr(p, "order", 100), p.name))
    names = [p.name for p in plugins]
    doubles = {n for n in names if names.count(n) > 1}
    if doubles:
        raise RuntimeError(f"two {kind} plug-ins share a name: {', '.join(sorted(doubles))}")
    return MappingProxyType({p.name: p for p in plugins})


def _one(kind: str, name: str) -> Any:
    known = _found(kind)
    if name not in known:
        hint = f"choose {'an' if kind[0] in 'aeiou' else 'a'} {kind} from the list"
        raise BadInput(kind.capitalize(), repr(name), "one of " + ", ".join(known), hint)
    return known[name]


def methods() -> Mapping[str, Method]:
    """All methods by name."""
    return _found("method")


def method(name: str) -> Method:
    """One method, or BadInput that lists the known ones."""
    return _one("method", name)


def metrics(on: str = "counts") -> Mapping[str, Metric]:
    """The metrics over "counts", "scores" or "moments" by name, in reading order; "" is all of them."""
    return MappingProxyType({name: m for name, m in _found("metric").items() if on in ("", m.on)})


def metric(name: str) -> Metric:
    """One metric, or BadInput that lists the known ones."""
    return _one("metric", name)


def datasets() -> Mapping[str, DatasetEntry]:
    """All built-in data sets by name, in catalogue order."""
    return _found("dataset")


def dataset(name: str) -> DatasetEntry:
    """One built-in data set, or BadInput that lists the known ones."""
    return _one("dataset", name)


def nets() -> Mapping[str, Net]:
    """All architectures by name."""
    return _found("architecture")


def net(name: str) -> Net:
    """One architecture, or BadInput that lists the known ones."""
    return _one("architecture", name)
