from __future__ import annotations

import numpy as np
import pandas as pd

from core.data.leaks import find_leaks


def test_near_perfect_columns_are_found_and_good_ones_are_left():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    frame = pd.DataFrame({
        "y": y, "copy": y, "words": np.where(y == 1, "dead", "alive"), "good": y + rng.normal(size=2000),
        "noise": rng.normal(size=2000), "id": [f"r{k}" for k in range(2000)],
    })  # fmt: skip
    assert set(find_leaks(frame, "y")) == {"copy", "words"}


def test_a_rare_class_does_not_make_every_column_a_leak():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y": rng.random(3000) < 0.01, "noise": rng.normal(size=3000)})
    assert find_leaks(frame, "y") == {}


def test_labels_with_many_values_are_not_judged():
    frame = pd.DataFrame({"y": np.arange(100), "copy": np.arange(100)})
    assert find_leaks(frame, "y") == {}
