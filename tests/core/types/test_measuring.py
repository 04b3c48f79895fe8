from __future__ import annotations

import dataclasses

import pytest

from core.types import Metric


def test_a_metric_cannot_be_changed_once_made():
    metric = Metric("m", "M", "h", lambda counts: counts[..., 0, 0], "0 rows")
    with pytest.raises(dataclasses.FrozenInstanceError):
        metric.name = "other"
