"""Opens a built-in set with its own roles and groups."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.data.groups import make_groups
from core.data.roles import make_dataset


@pytest.fixture
def opened():
    """opened(DATASET, **options) -> table, frame (raw), data, groups, sizes (group -> rows), rates (group -> rate)."""

    def open_it(entry, **options):
        table = entry.load(options)
        data = make_dataset(table, entry.roles(options), entry.name, entry.title)
        groups = make_groups(data, entry.groups(options))
        count = np.bincount(groups.code)
        positive = np.bincount(groups.code, weights=data.y) / count
        return SimpleNamespace(
            table=table, frame=table.frame, data=data, groups=groups,
            sizes=dict(zip(groups.labels, count.tolist(), strict=True)),
            rates=dict(zip(groups.labels, positive.tolist(), strict=True)),
        )  # fmt: skip

    return open_it
