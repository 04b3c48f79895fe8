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


def test_many_words_that_decide_and_absences_that_tell_are_found():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    frame = pd.DataFrame({
        "y": y, "code": [f"{'dead' if v else 'ok'} {k % 90}" for k, v in enumerate(y)],
        "date of death": np.where(y == 1, "known", None), "town": [f"t{k}" for k in rng.integers(0, 90, 3000)],
        "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(y * 400 + rng.integers(0, 300, 3000), unit="D"),
    })  # fmt: skip
    assert set(find_leaks(frame, "y")) == {"code", "date of death", "when"}


def test_huge_numbers_are_judged_too():
    y = np.arange(200) % 2
    assert set(find_leaks(pd.DataFrame({"y": y, "big": np.where(y, 1e300, -1e300)}), "y")) == {"big"}


def test_classes_that_alternate_over_intervals_are_found():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5000)
    place = 2 * rng.integers(0, 3, 5000) + y
    frame = pd.DataFrame({"y": y, "stripes": place + rng.random(5000), "spread": np.exp(place + rng.random(5000))})
    assert set(find_leaks(frame, "y")) == {"stripes", "spread"}


def test_a_rare_class_in_a_narrow_interval_is_found():
    rng = np.random.default_rng(0)
    y = rng.random(5000) < 0.01
    x = np.where(y, 0.5 + 1e-4 * rng.random(5000), rng.random(5000))
    assert set(find_leaks(pd.DataFrame({"y": y, "x": x}), "y")) == {"x"}


def test_no_tree_is_grown_on_columns_that_say_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(3000, 200))).add_prefix("c")
    asked: list[int] = []
    monkeypatch.setattr("core.data.leaks._by_tree", lambda x, y, half: asked.append(1) or y[~half])
    find_leaks(noise.assign(y=rng.random(3000) < 0.02), "y")
    assert len(asked) <= 2


def test_whole_numbers_with_gaps_and_one_value_are_judged_like_others():
    y = np.arange(400) % 2
    gaps = pd.array(np.where(np.arange(400) % 10 < 2, None, y), dtype="Int64")
    assert set(find_leaks(pd.DataFrame({"y": y, "one": 1, "gaps": gaps, "same": y * 1.0}), "y")) == {"same"}
