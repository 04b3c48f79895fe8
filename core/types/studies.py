"""What was asked for: a study, its trainings and budgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.types.data import GroupSpec, Roles, SplitSpec
from core.types.settings import Param

OPTIMIZER_PARAMS = (
    Param("lr", 1e-3, 1e-6, 10.0, log=True, title="Learning rate", help="Size of each optimiser step."),
    Param("weight_decay", 1e-4, 0.0, 100.0, log=True, title="Weight decay",
          help="How strongly weights are pulled to zero. Methods that reweight often need more of it."),
)  # fmt: skip
BUDGET_PARAMS = {
    "iterations": Param("iterations", 1000, 1, 1_000_000, log=True, title="Iterations",
                        help="Optimiser steps of every run, whatever its method: comparisons are at equal budgets."),
    "evaluations": Param("evaluations", 20, 1, 500, title="Evaluations", help="How often all runs are measured."),
    "batch_size": Param("batch_size", 256, 2, 65_536, log=True, title="Batch size", help="Rows in each step."),
    "optimizer": Param("optimizer", "adamw", choices=("adamw", "sgd"), static=True, title="Optimiser",
                       help="AdamW adapts the step of each weight; SGD uses momentum 0.9."),
}  # fmt: skip


@dataclass(frozen=True)
class DataSpec:
    """Where the table comes from: source "builtin" (name, options), "upload" (digest: SHA-256 of the file's
    bytes, name) or "path" (path on the server's disk)."""

    source: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    path: str = ""


@dataclass(frozen=True)
class Budget:
    """How long and with what every run trains. `iterations` are optimiser steps, the same for every method, so that
    sampling methods compare at matched budgets; `evaluations` are spread evenly over them."""

    iterations: int = 1000
    evaluations: int = 20
    batch_size: int = 256
    optimizer: str = "adamw"
    lr: tuple[float, ...] = (1e-3,)
    weight_decay: tuple[float, ...] = (1e-4,)


@dataclass(frozen=True)
class MethodSpec:
    """A method and, per setting, the values to try (their product is swept). Settings not named stay at default."""

    name: str
    settings: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainSpec:
    """One training job: an architecture (with its settings), methods, seeds, budget, device ("auto", "cpu", "cuda",
    "mps"), precision ("float32", or "bfloat16": matrix products in bfloat16, weights in float32)."""

    methods: tuple[MethodSpec, ...]
    net: str = "mlp"
    net_settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] = (0, 1, 2)
    budget: Budget = Budget()
    device: str = "auto"
    precision: str = "float32"


@dataclass(frozen=True)
class StudySpec:
    """A study: data, roles, groups, split, and the trainings asked for so far. roles None: not confirmed yet."""

    name: str
    data: DataSpec
    roles: Roles | None = None
    groups: GroupSpec = GroupSpec()
    split: SplitSpec = SplitSpec()
    trainings: tuple[TrainSpec, ...] = ()
