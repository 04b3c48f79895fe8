"""A small task and a plain method for the engine's tests."""

from __future__ import annotations

import pytest
from toys import make_task

from core.types import Method, Task


@pytest.fixture
def task() -> Task:
    return make_task()


@pytest.fixture
def erm() -> Method:
    return Method(name="erm", title="ERM", family="baseline", summary="Mean loss.", source="Vapnik 1992")
