"""The expected best of n settings against every subset of n."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from core.figures.expected_best import expected_best_table

VALUES = np.array([0.3, 0.9, 0.5, 0.5, 0.7])


@pytest.mark.parametrize(("higher", "best"), [(True, max), (False, min)])
def test_equals_the_mean_over_all_subsets(higher, best):
    table = expected_best_table({"a": VALUES}, np.random.default_rng(0), higher)
    wanted = [np.mean([best(some) for some in combinations(VALUES, n)]) for n in range(1, 6)]
    assert np.allclose(table["best"], wanted)
    assert (table["low"] <= table["high"]).all()


def test_undefined_settings_are_left_out_and_methods_keep_their_own_number():
    given = {"a": np.append(VALUES, np.nan), "b": np.array([0.4]), "none": np.array([np.nan])}
    table = expected_best_table(given, np.random.default_rng(0))
    assert dict(table.groupby("method")["n"].max()) == {"a": 5, "b": 1}
    only = table[table["method"] == "b"].iloc[0]
    assert (only["best"], only["low"], only["high"]) == pytest.approx((0.4, 0.4, 0.4))


def test_nothing_gives_an_empty_table_with_its_columns():
    assert list(expected_best_table({}, np.random.default_rng(0)).columns)[:3] == ["method", "tried", "n"]
