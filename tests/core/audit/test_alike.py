from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.alike import alike, encoded, group_means
from core.audit.prepare import make_predictions
from core.inference import wilson
from core.types import AuditSpec, BadInput


def rows_of(frame, **more):
    return make_predictions(frame, AuditSpec("y", "1", ("p",), attributes=("g",), min_n=0, **more))


def people(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"y": rng.integers(0, 2, n), "p": rng.integers(0, 2, n), "g": rng.choice(["a", "b"], n),
                         "x": rng.normal(size=n), "z": rng.choice(["u", "v", "w"], n)})


def test_consistency_agrees_with_a_loop_over_people():
    frame = people()
    found = alike(rows_of(frame), k=5)
    values = encoded(frame[["x", "z"]]).values.astype(np.float32)
    other = []
    for i in range(len(frame)):
        apart = ((values - values[i]) ** 2).sum(1)
        apart[i] = np.inf
        near = np.argsort(apart)[:5]
        other.append((frame["p"].to_numpy()[near] != frame["p"][i]).mean())
    assert found.consistency.value == pytest.approx(1 - np.mean(other))
    assert found.groups["a"][0].value == pytest.approx(np.mean(np.array(other)[frame["g"] == "a"]))
    assert found.consistency.low < found.consistency.value < found.consistency.high and found.k == 5
    assert found.columns.used == ("x", "z") and found.chance == pytest.approx(0.5, abs=0.01)


def test_a_rule_on_the_features_is_consistent_and_a_rule_on_the_group_is_not():
    frame = people(600)
    by_x = alike(rows_of(frame.assign(p=(frame["x"] > 0).astype(int))))
    by_group = alike(rows_of(frame.assign(p=(frame["g"] == "a").astype(int))))
    assert by_x.consistency.value > 0.95 and by_group.consistency.value < 0.6
    same = alike(rows_of(frame.assign(p=1)))
    assert same.consistency.value == 1 and 0.98 < same.consistency.low < 1 and same.chance == 0


def test_copies_of_a_person_are_neighbours_but_nobody_is_the_own():
    frame = pd.DataFrame({"y": [0, 1] * 10, "p": [0, 1] * 10, "g": list("ab") * 10,
                          "x": np.repeat(np.arange(10.0), 2) ** 2})
    assert alike(rows_of(frame), k=1).consistency.value == 0, "the only copy got the other answer"


def test_many_rows_are_sampled_and_persons_count_once():
    frame = people(400)
    found = alike(rows_of(frame), most=100)
    assert (found.n, found.total) == (100, 400) and "100 of 400 rows" in found.notes[0]
    found = alike(rows_of(frame.assign(who=np.arange(400) // 4), person="who"))
    assert found.n == 100 and "100 persons" in found.notes[0]


def test_what_cannot_be_compared_is_refused_in_words():
    frame = people(30)
    with pytest.raises(BadInput, match="no column that tells people apart"):
        alike(rows_of(frame[["y", "p", "g"]]))
    with pytest.raises(BadInput, match="1 to 29"):
        alike(rows_of(frame), k=30)


def test_every_column_counts_the_same_on_average(rng):
    n = 4000
    frame = pd.DataFrame({"x": 1000 * rng.normal(size=n) + 5, "z": rng.choice(list("uvw"), n, p=[0.8, 0.15, 0.05]),
                          "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
                          "flag": rng.random(n) < 0.1})
    for name in frame:
        values = encoded(frame[[name]]).values
        apart = ((values[:2000] - values[2000:]) ** 2).sum(1)
        assert apart.mean() == pytest.approx(2, rel=0.15), name


def test_useless_columns_are_left_out_with_the_reason(rng):
    n = 100
    frame = pd.DataFrame({"id": np.arange(n) + 7, "same": "x", "name": [f"n{k}" for k in range(n)], "none": np.nan,
                          "some": np.where(np.arange(n) < 50, np.nan, rng.normal(size=n))})
    found = encoded(frame)
    assert found.used == ("some",) and found.values.shape == (n, 2)
    assert dict(found.left_out) == {"id": "a numbering of the rows", "same": "one value",
                                    "name": "100 different words", "none": "no value"}


def test_means_of_yes_or_no_have_nearly_wilsons_interval(rng):
    u, code = (rng.random(400) < 0.2).astype(float), np.repeat([0, 1], 200)
    value, low, high, n = group_means(u, None, code, 2)
    assert value == pytest.approx([u[:200].mean(), u[200:].mean(), u.mean()])
    ends = wilson(u.sum(), 400)
    assert (low[-1], high[-1]) == pytest.approx((float(ends[0]), float(ends[1])), abs=2e-3)
    assert n == pytest.approx([200, 200, 400], rel=0.03)


def test_intervals_of_means_cover(rng):
    hits = 0
    for _ in range(400):
        u, w = rng.beta(0.5, 4, 40), rng.uniform(0.3, 2, 40)
        _, low, high, _ = group_means(u, w, np.zeros(40, np.int64), 1)
        hits += low[-1] <= 1 / 9 <= high[-1]
    assert 0.92 <= hits / 400 <= 0.995


def test_rows_of_one_person_are_worth_one():
    u, who = np.repeat([0.0, 1.0, 1.0, 0.0, 1.0], 20), np.repeat(np.arange(5), 20)
    alone, together = (group_means(u, None, np.zeros(100, np.int64), 1, p) for p in (None, who))
    assert together[3][-1] < 5 and together[2][-1] - together[1][-1] > 2 * (alone[2][-1] - alone[1][-1])
    nothing = group_means(np.zeros(100), None, np.zeros(100, np.int64), 1, who)
    assert nothing[3][-1] == pytest.approx(5) and nothing[2][-1] == pytest.approx(float(wilson(0, 5)[1]))


def test_a_group_without_rows_is_undefined():
    value, low, _, _ = group_means(np.array([0.0, 1.0]), None, np.array([0, 0]), 2)
    assert np.isnan(value[1]) and np.isnan(low[1])
