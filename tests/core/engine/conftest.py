"""A small real task and plain methods for the engine's tests."""

from __future__ import annotations

import numpy as np
import pytest

from core.types import Method, Splits, Task


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


@pytest.fixture
def task() -> Task:
    return make_task()


@pytest.fixture
def erm() -> Method:
    return Method(name="erm", title="ERM", family="baseline", summary="Mean loss.", source="Vapnik 1992")
