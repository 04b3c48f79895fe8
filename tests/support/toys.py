"""Small tasks, cohorts and pools for tests that need the engine."""

from __future__ import annotations

import numpy as np

from core import registry
from core.engine.plan import plan_cohorts
from core.engine.rows import gather_rows, make_pool
from core.types import Budget, Method, MethodSpec, Param, Rows, Splits, Stage, Task, TrainSpec

NET = registry.net("mlp")
BUDGET = Budget(iterations=60, evaluations=6, batch_size=32, lr=(0.01,))


def make_task(n: int = 600, features: int = 6, classes: int = 2, seed: int = 0, weighted: bool = False) -> Task:
    """Gaussian classes with a spurious attribute; every subgroup has rows in every split."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    attr = np.where(rng.random(n) < 0.8, y % 2, 1 - y % 2)
    x = rng.normal(size=(n, features))
    x[:, 0] += 1.5 * y
    x[:, 1] += 2.0 * attr
    rows = rng.permutation(n)
    a, b = int(0.6 * n), int(0.8 * n)
    splits = Splits(*(np.sort(part) for part in (rows[:a], rows[a:b], rows[b:])))
    half = len(splits.val) // 2
    w = rng.uniform(0.5, 1.5, n) if weighted else np.ones(n)
    return Task(
        name="toy", title="Toy", x=x.astype(np.float32), y=y.astype(np.int64), attr=attr.astype(np.int64),
        w=(w / w.mean()).astype(np.float32), classes=tuple(f"class {c}" for c in range(classes)),
        attr_labels=("a", "b"), reference=0, splits=splits, val_fit=splits.val[:half], val_select=splits.val[half:],
        feature_names=tuple(f"x{i}" for i in range(features)), image_shape=None, fingerprint=f"toy{n}-{seed}",
        weighted=weighted,
    )  # fmt: skip


def cohort_of(method, seeds=(0, 1), **settings):
    """A cohort of the default architecture with batches of 32."""
    spec = TrainSpec(methods=(MethodSpec(method.name, settings),), seeds=seeds, budget=Budget(batch_size=32))
    return plan_cohorts(spec, {method.name: method}, NET)[0]


def cohort_for(method, seeds=(0, 1), budget=BUDGET, **settings):
    """A cohort of small networks that trains in a moment."""
    spec = TrainSpec(
        methods=(MethodSpec(method.name, settings),), net_settings={"hidden": 8}, seeds=seeds, budget=budget
    )
    return plan_cohorts(spec, {method.name: method}, NET)[0]


def pool_of(task, method, cohort, rows=None):
    models = list(range(cohort.n_models))
    rows = rows or gather_rows(task, method, cohort, models)
    return make_pool(task, method, rows, [cohort.model(m)[1] for m in models], "cpu", task.splits.train)


def two_stage() -> Method:
    """Trains, then trains anew with the errors of the first stage at weight 5."""

    def between(task, scores, hp, rng):
        wrong = scores[task.splits.train].argmax(-1) != task.y[task.splits.train]
        return Stage(Rows(weight=1.0 + 4.0 * wrong), fresh="all")

    first = Param("first", 0.5, 0.1, 0.9, static=True)
    return Method("again", "Again", "two_stage", "s", "s", between=between, params=(first,))
