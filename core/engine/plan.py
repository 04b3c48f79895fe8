"""From "what should be tried" to cohorts of runs that can be stacked, and what they will cost.

A cohort holds the runs of one method and architecture that differ only in stacked settings (numbers), seeds and
decision rules. Settings that change shapes or control flow (`Param.static`) open a cohort of their own.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.types import (
    BUDGET_PARAMS,
    OPTIMIZER_PARAMS,
    BadInput,
    Budget,
    Method,
    MethodSpec,
    Net,
    Param,
    Task,
    TrainSpec,
)

MAX_RUNS = 4096
PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True)
class Cohort:
    """Runs that train together. Models are ordered seed by seed, within a seed setting by setting; runs are models
    times decision rules, the rule changing fastest.

    settings: K dicts with every trained setting, "lr" and "weight_decay" included; decisions: dicts of the
    decide-stage settings, at least one ({} without rules).
    """

    method: str
    net: str
    net_settings: Mapping[str, Any]
    settings: tuple[Mapping[str, Any], ...]
    decisions: tuple[Mapping[str, Any], ...]
    seeds: tuple[int, ...]
    budget: Budget
    precision: str = "float32"

    @property
    def n_models(self) -> int:
        return len(self.seeds) * len(self.settings)

    @property
    def n_runs(self) -> int:
        return self.n_models * len(self.decisions)

    def model(self, m: int) -> tuple[dict[str, Any], int]:
        """Settings and seed of model `m` in 0..n_models-1."""
        return dict(self.settings[m % len(self.settings)]), self.seeds[m // len(self.settings)]

    def run(self, position: int) -> tuple[dict[str, Any], int]:
        """All settings (decision included) and seed of run `position` in 0..n_runs-1."""
        m, d = divmod(position, len(self.decisions))
        settings, seed = self.model(m)
        return {**settings, **self.decisions[d]}, seed


def check_budget(budget: Budget) -> Budget:
    """The budget with every value checked, or BadInput. There are never more evaluations than iterations."""
    for name, param in BUDGET_PARAMS.items():
        param.check(getattr(budget, name))
    for param in OPTIMIZER_PARAMS:
        values = getattr(budget, param.name)
        if not values:
            raise BadInput(param.label, "no value", "at least one value", f"use {param.default:g}, the default")
        for value in values:
            param.check(value)
    return budget


def evaluation_steps(budget: Budget) -> tuple[int, ...]:
    """Iterations after which all runs are measured, ascending, the last one at the end."""
    n = min(budget.evaluations, budget.iterations)
    return tuple(round(budget.iterations * (i + 1) / n) for i in range(n))


def _values(method: Method, spec: MethodSpec) -> dict[str, tuple[Any, ...]]:
    known = {p.name: p for p in method.params}
    for name in spec.settings:
        if name not in known:
            allowed = ", ".join(known) or "no settings"
            raise BadInput(f"{method.title} setting", repr(name), allowed, "remove it or correct its name")
    values = {}
    for name, param in known.items():
        given = spec.settings.get(name, (param.default,))
        if not given:
            raise BadInput(param.label, "no value", "at least one value", f"use {param.default!r}, the default")
        values[name] = tuple(dict.fromkeys(param.check(v) for v in given))
    return values


def _product(values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(values, combo, strict=True)) for combo in itertools.product(*values.values())]


def _opens_cohort(param: Param, method: Method) -> bool:
    """Words and shapes cannot be stacked; a looped method stacks nothing, so there every setting may vary."""
    if param.stage in ("decide", "prepare") or not method.stacked:
        return False
    return param.static or not param.is_number


def _method_cohorts(method: Method, spec: MethodSpec, train: TrainSpec, net_settings: dict) -> list[Cohort]:
    values = _values(method, spec)
    stages = {p.name: "static" if _opens_cohort(p, method) else p.stage for p in method.params}
    static = _product({n: v for n, v in values.items() if stages[n] == "static"})
    decisions = _product({n: v for n, v in values.items() if stages[n] == "decide"})
    moving = {n: v for n, v in values.items() if stages[n] not in ("static", "decide")}
    if method.stacked:
        moving |= {p.name: tuple(dict.fromkeys(getattr(train.budget, p.name))) for p in OPTIMIZER_PARAMS}
    return [
        Cohort(
            method=method.name,
            net=train.net if method.stacked else "none",
            net_settings=net_settings if method.stacked else {},
            settings=tuple({**fixed, **moved} for moved in _product(moving)),
            decisions=tuple(decisions),
            seeds=tuple(dict.fromkeys(train.seeds)),
            budget=train.budget,
            precision=train.precision,
        )
        for fixed in static
    ]


def plan_cohorts(train: TrainSpec, methods: Mapping[str, Method], net: Net) -> tuple[Cohort, ...]:
    """Check a training and cut it into cohorts.

    Raises:
        BadInput: an unknown method or setting, a value out of range, no method, no seed, more than 4096 runs.
    """
    check_budget(train.budget)
    if not train.methods:
        raise BadInput("Methods", "none chosen", "at least one method", "choose ERM to begin with")
    if not train.seeds:
        raise BadInput("Seeds", "none", "at least one whole number", "use 0, 1, 2")
    for seed in train.seeds:
        Param("seed", 0, 0, 2**31 - 1, title="Seed").check(seed)
    if train.precision not in PRECISIONS:
        raise BadInput("Precision", repr(train.precision), "one of " + ", ".join(PRECISIONS), "use float32")
    names = [spec.name for spec in train.methods]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BadInput("Methods", f"{twice!r} more than once", "every method once", "give its settings as lists")
    known = {p.name: p for p in net.params}
    for name in train.net_settings:
        if name not in known:
            raise BadInput(f"{net.title} setting", repr(name), ", ".join(known) or "no settings", "remove it")
    net_settings = {n: p.check(train.net_settings.get(n, p.default)) for n, p in known.items()}
    cohorts: list[Cohort] = []
    for spec in train.methods:
        if spec.name not in methods:
            raise BadInput("Method", repr(spec.name), "one of " + ", ".join(methods), "choose a method from the list")
        cohorts += _method_cohorts(methods[spec.name], spec, train, net_settings)
    total = sum(c.n_runs for c in cohorts)
    if total > MAX_RUNS:
        raise BadInput("Number of runs", f"{total:,}", f"at most {MAX_RUNS:,}", "take fewer values or seeds")
    return tuple(cohorts)


def check_task(task: Task, method: Method, net: Net) -> None:
    """Raise BadInput where a method or architecture cannot work on the task at all."""
    if "binary" in method.needs and task.n_classes != 2:
        raise BadInput(method.title, f"{task.n_classes} classes", "two classes", "leave this method out")
    if net.images_only and task.image_shape is None:
        raise BadInput("Architecture", f"{net.title} on a table", "a data set of images", "choose MLP or linear")


def run_key(task_fingerprint: str, cohort: Cohort, position: int) -> str:
    """16 hex characters: the same data, split, method, settings, architecture, budget and seed, the same key."""
    settings, seed = cohort.run(position)
    budget = {k: v for k, v in asdict(cohort.budget).items() if k not in ("lr", "weight_decay")}
    parts = [task_fingerprint, cohort.method, sorted(settings.items()), cohort.net,
             sorted(cohort.net_settings.items()), sorted(budget.items()), seed, cohort.precision]  # fmt: skip
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:16]
