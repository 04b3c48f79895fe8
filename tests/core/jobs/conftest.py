"""A store with one study, a toy task in place of its data, and queues that are shut down afterwards."""

from __future__ import annotations

import time

import pytest
from toys import make_task

from core.jobs.queue import Jobs
from core.store.sql import SqlStore
from core.types import Budget, DataSpec, MethodSpec, Roles, StudySpec, TrainSpec


@pytest.fixture
def store(home):
    opened = SqlStore(home)
    yield opened
    opened.close()


@pytest.fixture
def study(store) -> str:
    return store.create_study(StudySpec("Toys", DataSpec("builtin", "adult"), Roles("y", "1", ("sex",))))


@pytest.fixture
def queue_of(store, home):
    """Makes queues: queue_of(workers=2, train=..., load=...)."""
    made = []

    def start(**options) -> Jobs:
        made.append(Jobs(options.pop("store", store), home, **{"load": lambda spec, home: make_task(), **options}))
        return made[-1]

    yield start
    for jobs in made:
        jobs.shutdown()


@pytest.fixture
def training():
    """A training of ERM that takes a moment: training(iterations=40, seeds=(0,), lr=(0.01,))."""
    def build(*methods: str, iterations: int = 40, seeds=(0, 1), lr=(0.01,), evaluations: int = 4) -> TrainSpec:
        return TrainSpec(tuple(MethodSpec(m) for m in methods or ("erm",)), net_settings={"hidden": 4}, seeds=seeds,
                         budget=Budget(iterations, evaluations, 32, lr=lr), device="cpu")

    return build


@pytest.fixture
def until():
    """Wait until something holds: until(lambda: ..., seconds=20)."""
    def wait(holds, seconds: float = 20.0) -> float:
        began = time.monotonic()
        while not holds():
            assert time.monotonic() - began < seconds, "it never happened"
            time.sleep(0.005)
        return time.monotonic() - began

    return wait
