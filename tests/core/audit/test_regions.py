from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.prepare import make_predictions
from core.audit.regions import cells_of, leaves_of
from core.audit.strata import outcome_of
from core.types import AuditSpec, BadInput


def rows_of(frame, **spec):
    given = {"positive": "yes", "predictions": ("p",), "attributes": ("g",)} | spec
    return make_predictions(frame, AuditSpec(**given))


def table(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "hours": rng.integers(10, 60, n).astype(float), "job": rng.choice(list("abc"), n),
        "start": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, n), "D"),
        "g": rng.choice(["men", "women"], n), "p": rng.choice(["yes", "no"], n)})


def opposed(frame, there):
    """Women are selected where `there`, men elsewhere: no gap overall, a gap of 1 on either side."""
    return frame.assign(p=np.where(there == (frame["g"] == "women"), "yes", "no"))


def leaves(rows, count=2, grow=None, least=50):
    return leaves_of(rows, outcome_of(rows), np.ones(rows.n, bool) if grow is None else grow, count, least)


def test_cells_are_the_parts_of_one_feature_or_of_two_crossed():
    frame = table()
    rows = rows_of(frame)
    one = cells_of(rows, ["job"])
    assert one.by == "cells of job"
    assert {one.labels[c]: w for c, w in zip(one.code, frame["job"], strict=True)} == {f"job = {w}": w for w in "abc"}
    two = cells_of(rows, ["hours", "job"], parts=2)
    assert len(two.labels) == 6 and two.labels[0].startswith("hours under ")
    place = {label: k for k, label in enumerate(two.labels)}
    low = frame["hours"] < float(two.labels[0].split()[2])
    for word in "abc":
        for label, side in ((f"{two.labels[0].split(' and ')[0]} and job = {word}", low),):
            assert ((two.code == place[label]) == (side & (frame["job"] == word))).all()


@pytest.mark.parametrize("features", [(), ("nothing",), ("hours", "job", "start"), ("g",)])
def test_other_features_are_one_sentence(features):
    with pytest.raises(BadInput, match="Features"):
        cells_of(rows_of(table()), features)


def test_the_tree_finds_the_number_at_which_the_gap_turns():
    frame = table()
    rows = rows_of(opposed(frame, frame["hours"] <= 31))
    found = leaves(rows)
    assert found.labels == ("hours at most 31.5", "hours above 31.5")
    assert (found.code == (frame["hours"] > 31)).all() and "tree" in found.by


def test_the_tree_finds_words_dates_and_what_is_missing():
    frame = table()
    word = leaves(rows_of(opposed(frame, frame["job"] == "b")))
    assert set(word.labels) == {"job = b", "job not b"}
    assert (np.array(word.labels)[word.code] == np.where(frame["job"] == "b", "job = b", "job not b")).all()
    late = leaves(rows_of(opposed(frame, frame["start"] < "2021-06-01")))
    assert [label.split(" 20")[0] for label in late.labels] == ["start at most", "start above"]
    assert "2021-05-31" in late.labels[0] or "2021-06-01" in late.labels[0]
    gone = frame["hours"] > 45
    holes = frame.assign(hours=frame["hours"].where(~gone))
    missing = leaves(rows_of(opposed(holes, gone)))
    assert missing.labels == ("hours known", "hours missing") and (missing.code == gone).all()
    lost = leaves(rows_of(opposed(frame.assign(job=frame["job"].where(frame["job"] != "c")), frame["job"] == "c")))
    assert set(lost.labels) == {"job missing", "job known"}


def test_two_cuts_of_one_number_are_one_condition():
    frame = table(6000)
    there = (frame["hours"] > 20) & (frame["hours"] <= 40)
    found = leaves(rows_of(opposed(frame, there).assign(hours=frame["hours"].where(frame["hours"] < 59))), 3)
    assert set(found.labels) == {"hours at most 20.5", "hours above 20.5, at most 40.5", "hours above 40.5 or missing"}
    middle = found.labels.index("hours above 20.5, at most 40.5")
    assert ((found.code == middle) == there).all()


def test_leaves_hold_the_least_rows_and_weights_count():
    frame = table()
    rows = rows_of(opposed(frame, frame["job"] == "b"))
    found = leaves(rows, 16, least=300)
    assert np.bincount(found.code).min() >= 300
    weighted = rows_of(opposed(frame, frame["hours"] > 50).assign(
        w=np.where(frame["job"] == "b", 50.0, 1.0),
        p=lambda f: np.where(frame["job"] == "b", np.where(frame["g"] == "men", "yes", "no"), f["p"])), weight="w")
    assert leaves(weighted, 2).labels != leaves(rows_of(opposed(frame, frame["hours"] > 50)), 2).labels


def test_without_features_or_rows_there_is_nothing_to_grow_on():
    with pytest.raises(BadInput, match="no usable feature"):
        leaves(rows_of(table()[["g", "p"]]))
    with pytest.raises(BadInput, match="Regions"):
        leaves(rows_of(table(80)))
