"""What all tests share: a data folder of their own, one torch thread, repeatable random examples."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported; small tensors are slower on many threads

settings.register_profile("house", deadline=None, max_examples=50, derandomize=True, database=None,
                          suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
settings.load_profile("house")


@pytest.fixture(scope="session", autouse=True)
def _data_folder(tmp_path_factory: pytest.TempPathFactory):
    """No test ever sees the data folder of the person who runs it."""
    given = {name: os.environ.pop(name, None) for name in ("COUNTERWEIGHT_HOME", "COUNTERWEIGHT_DATABASE_URL")}
    os.environ["COUNTERWEIGHT_HOME"] = str(tmp_path_factory.mktemp("data-folder"))
    yield
    for name, value in given.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty data folder."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    """A fresh generator with a fixed seed."""
    return np.random.default_rng(7)
