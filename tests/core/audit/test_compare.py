from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

from core.audit.compare import compare
from core.audit.prepare import make_predictions
from core.types import AuditSpec, BadInput


def table(n=600, seed=0):
    """Model b is a with errors of group u mended; group v is untouched."""
    rng = np.random.default_rng(seed)
    y, g = rng.integers(0, 2, n), rng.integers(0, 2, n)
    a = np.where(rng.random(n) < 0.3, 1 - y, y)
    b = np.where((g == 0) & (rng.random(n) < 0.5), y, a)
    return pd.DataFrame({"y": y, "a": a, "b": b, "g": np.where(g == 0, "u", "v"), "who": np.arange(n) // 4,
                         "w": rng.uniform(0.5, 2, n)})


def rows(frame, **more):
    return make_predictions(frame, AuditSpec("y", "1", ("a", "b"), attributes=("g",), **more))


def line(found, slug, group):
    return next(one for one in found.lines if (one.slug, one.group) == (slug, group))


def test_values_are_those_of_each_model_and_the_group_that_gains_is_named():
    frame = table()
    found = compare(rows(frame), 0, 1)
    for group in ("u", "v"):
        part = frame[frame["g"] == group]
        one = line(found, "accuracy", group)
        assert one.a == pytest.approx((part["a"] == part["y"]).mean()) and one.n == len(part)
        assert one.b == pytest.approx((part["b"] == part["y"]).mean())
        assert line(found, "f1", group).b == pytest.approx(f1_score(part["y"], part["b"]))
    assert line(found, "accuracy", "u").better is True and line(found, "accuracy", "u").p_holm < 1e-6
    still = line(found, "accuracy", "v")
    assert still.better is None and still.difference.value == 0 and still.p == 1
    assert line(found, "fpr", "u").better is True  # fewer false positives are better


def test_paired_and_drawn_intervals_agree_where_both_exist():
    frame = table(4000)
    frame["alone"] = np.arange(len(frame))
    closed, drawn = compare(rows(frame), 0, 1), compare(rows(frame, person="alone"), 0, 1)
    for slug in ("accuracy", "tpr", "selection_rate"):
        one, other = line(closed, slug, "u").difference, line(drawn, slug, "u").difference
        assert one.how.startswith("paired (Newcombe)") and "persons" in other.how
        assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.12)


def test_rows_of_one_person_widen_what_is_known():
    frame = table(800)
    first = frame.groupby("who").transform("first")
    frame[["y", "a", "b", "g"]] = first[["y", "a", "b", "g"]]
    alone, persons = compare(rows(frame), 0, 1), compare(rows(frame, person="who"), 0, 1)
    one, other = line(alone, "accuracy", "u").difference, line(persons, "accuracy", "u").difference
    assert (other.high - other.low) / (one.high - one.low) == pytest.approx(2, rel=0.25)  # four rows each: sqrt(4)


def test_weights_of_two_are_rows_given_twice():
    frame = table(200)
    twice = pd.concat([frame, frame[frame["g"] == "u"]], ignore_index=True)
    weighted = frame.assign(w=np.where(frame["g"] == "u", 2.0, 1.0))
    one = compare(rows(weighted, weight="w"), 0, 1)
    other = compare(rows(twice), 0, 1)
    for slug in ("accuracy", "ppv", "mcc"):
        assert line(one, slug, "everyone").a == pytest.approx(line(other, slug, "everyone").a)
    assert line(one, "accuracy", "u").difference.n == pytest.approx((frame["g"] == "u").sum())


def test_gaps_and_worst_groups_are_compared_too():
    frame = table(4000)
    found = {b.key: b for b in compare(rows(frame), 0, 1).between}
    accuracy = frame.assign(ra=frame["a"] == frame["y"], rb=frame["b"] == frame["y"]).groupby("g")[["ra", "rb"]].mean()
    gaps = accuracy.max() - accuracy.min()
    assert found["accuracy.gap"].a == pytest.approx(gaps["ra"]) and found["accuracy.gap"].b == pytest.approx(gaps["rb"])
    assert found["accuracy.gap"].difference.low > 0  # helping one group opens the gap
    assert found["accuracy.worst"].b == pytest.approx(accuracy["rb"].min())
    assert "selection_rate.worst" not in found  # no direction is better


def test_everybody_who_gets_another_decision_is_counted():
    frame = table()
    changed = dict(compare(rows(frame), 0, 1).changed)
    part = frame[frame["g"] == "u"]
    assert changed["u"].value == pytest.approx((part["a"] != part["b"]).mean())
    assert changed["v"].value == 0 and changed["v"].low == 0 and 0 < changed["v"].high < 0.05
    assert changed["everyone"].value == pytest.approx((frame["a"] != frame["b"]).mean())


def test_scores_are_compared_by_their_areas():
    rng = np.random.default_rng(1)
    y, g = rng.integers(0, 2, 500), rng.choice(["u", "v"], 500)
    s = 1 / (1 + np.exp(-rng.normal(size=500) - y))
    noisy = np.clip(s + 0.3 * rng.normal(size=500), 0, 1)
    frame = pd.DataFrame({"y": y, "s": s, "t": noisy, "g": g, "who": np.arange(500) // 2})
    spec = AuditSpec("y", "1", (), ("s", "t"), None, attributes=("g",))
    found = compare(make_predictions(frame, spec), 0, 1)
    assert {one.slug for one in found.lines} == {"roc_auc"} and not found.changed and not found.between
    one = line(found, "roc_auc", "everyone")
    assert one.b < one.a and one.better is False and np.isnan(one.p_holm)
    spec = AuditSpec("y", "1", (), ("s", "t"), None, attributes=("g",), person="who")
    wider = line(compare(make_predictions(frame, spec), 0, 1), "roc_auc", "everyone").difference
    assert wider.high - wider.low == pytest.approx(np.sqrt(2) * (one.difference.high - one.difference.low))



def test_equal_models_are_beyond_chance_about_never():
    hits, frame = 0, table(300)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        one, other = (np.where(rng.random(300) < 0.2, 1 - frame["y"], frame["y"]) for _ in range(2))
        found = compare(rows(frame.assign(a=one, b=other)), 0, 1, draws=200)
        hits += any(found_line.better is not None for found_line in found.lines
                    if found_line.slug == "accuracy" and found_line.group != "everyone")
    assert hits <= 8  # Holm keeps one false word in twenty


def test_several_classes_and_undefined_rates_have_their_words():
    frame = pd.DataFrame({"y": list("abcabcab"), "a": list("abcabccb"), "b": list("abcabcab"), "g": list("uuuuvvvv")})
    found = compare(make_predictions(frame, AuditSpec("y", "", ("a", "b"), attributes=("g",))), 0, 1)
    assert {one.slug for one in found.lines} == {"accuracy", "balanced_accuracy", "f1_macro"}
    none = pd.DataFrame({"y": [0, 0, 1, 1], "a": [0, 1, 1, 1], "b": [0, 0, 1, 1], "g": list("uuvv")})
    found = compare(rows(none), 0, 1)
    gone = line(found, "tpr", "u")
    assert gone.difference.undefined == "0 positives" and gone.better is None


@pytest.mark.parametrize(("a", "b"), [(0, 0), (0, 7), (-1, 1)])
def test_two_different_models_are_needed(a, b):
    with pytest.raises(BadInput, match="choose two models"):
        compare(rows(table(50)), a, b)


def test_without_labels_there_is_nothing_to_compare_with():
    spec = AuditSpec("", "1", ("a", "b"), attributes=("g",))
    with pytest.raises(BadInput, match="true labels"):
        compare(make_predictions(table(50), spec), 0, 1)
