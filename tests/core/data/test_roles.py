from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data.roles import guess_roles, label_values, make_dataset
from core.types import BadInput, Roles, Table

RNG = np.random.default_rng(0)
N = 300


def frame(**columns) -> pd.DataFrame:
    base = {
        "age": RNG.integers(18, 80, N), "sex": np.where(RNG.random(N) < 0.5, "woman", "man"),
        "score": RNG.normal(size=N), "outcome": np.where(RNG.random(N) < 0.3, "yes", "no"),
    }  # fmt: skip
    return pd.DataFrame({**base, **columns})


def make(table: pd.DataFrame, **roles):
    return make_dataset(Table(table), Roles(**{"label": "outcome", "positive": "yes", **roles}), "t", "T")


def test_roles_are_guessed_from_names_and_values_with_reasons():
    table = frame(
        id=np.arange(N), same=1, weight=RNG.random(N) + 0.1, person=np.repeat(np.arange(100), 3), gone=np.nan,
        remark=["this is a rather long remark about something quite different each time " + str(k) for k in range(N)],
    )  # fmt: skip
    guess = guess_roles(table)
    roles = guess.roles
    assert roles.label == "outcome" and roles.positive == "yes" and roles.task == "binary"
    assert roles.attributes == ("sex", "age") and roles.weight == "weight" and roles.key == "person"
    assert roles.text == ("remark",)
    assert "numbers the rows" in roles.dropped["id"] and "one value" in roles.dropped["same"]
    assert "missing" in roles.dropped["gone"] and set(roles.dropped) <= set(guess.reasons)


def test_a_column_that_gives_the_label_away_is_dropped_with_its_figure():
    table = frame()
    table["event"] = np.where(table["outcome"] == "yes", 1.0, 0.0) + 0.01 * RNG.normal(size=N)
    assert "predicts the label" in guess_roles(table).roles.dropped["event"]


@pytest.mark.parametrize(
    ("values", "positive", "classes"),
    [
        (["no", "yes"], "yes", ("no", "yes")),
        (["no", "yes"], "no", ("yes", "no")),
        ([0, 1], "1", ("0", "1")),
        ([1, 2], "2", ("1", "2")),
        ([-1, 1], "-1", ("1", "-1")),
        ([0.0, 1.0], "1", ("0", "1")),
        ([False, True], "True", ("False", "True")),
    ],
)
def test_labels_of_any_kind_make_two_classes_with_the_named_one_positive(values, positive, classes):
    outcome = pd.Series(values).repeat([200, 100]).reset_index(drop=True)
    dataset = make(frame(outcome=outcome), positive=positive)
    assert dataset.classes == classes and dataset.y.sum() == (100 if str(values[1]).startswith(positive[:3]) else 200)


def test_several_classes_are_sorted_numbers_before_words():
    dataset = make(frame(outcome=np.resize(["10", "9", "x"], N)), positive=None, task="multiclass")
    assert dataset.classes == ("9", "10", "x")


def test_rows_without_a_label_are_left_out_and_counted():
    table = frame()
    table.loc[:9, "outcome"] = None
    dataset = make(table)
    assert len(dataset.y) == N - 10 and "10 rows without a label" in dataset.notes[0]


def test_a_threshold_turns_numbers_into_two_classes():
    dataset = make(frame(), label="score", threshold=0.0, positive=None)
    assert dataset.classes == ("score under 0", "score 0 or more") and "score" not in dataset.frame


def test_weights_have_mean_one_and_leave_the_features():
    dataset = make(frame(w=RNG.random(N) + 0.5), weight="w")
    assert dataset.weight.mean() == pytest.approx(1) and "w" not in dataset.frame


def test_attributes_can_be_kept_from_the_model():
    table = frame()
    assert "sex" in make(table, attributes=("sex",)).frame
    assert "sex" not in make(table, attributes=("sex",), attributes_as_features=False).frame


@pytest.mark.parametrize(
    ("changes", "roles", "words"),
    [
        ({}, {"label": "nope"}, "does not have"),
        ({}, {"positive": "maybe"}, "Positive class"),
        ({}, {"positive": None}, "Positive class"),
        ({"outcome": "yes"}, {}, "at least two classes"),
        ({"outcome": None}, {}, "no value at all"),
        ({"outcome": np.arange(N)}, {"task": "multiclass"}, "at most 100 classes"),
        ({"outcome": np.resize(list("abc"), N)}, {}, "3 classes"),
        ({}, {"attributes": ("outcome",)}, "already the label"),
        ({}, {"weight": "sex"}, "words in sex"),
        ({"w": np.r_[-1.0, np.ones(N - 1)]}, {"weight": "w"}, "1 rows of w"),
        ({"w": np.r_[np.nan, np.zeros(2), np.ones(N - 3)]}, {"weight": "w"}, "3 rows of w"),
        ({}, {"key": "nope"}, "does not have"),
        ({}, {"dropped": {"age": "x", "sex": "x", "score": "x"}}, "no column left"),
        ({}, {"label": "sex", "threshold": 1.0}, "a column of words"),
        ({}, {"label": "score", "threshold": 99.0}, "both sides"),
        ({}, {"task": "guess"}, "Kind of label"),
        ({}, {"label": "sex", "task": "regression"}, "words in sex"),
    ],
)
def test_wrong_roles_get_one_sentence(changes, roles, words):
    with pytest.raises(BadInput) as caught:
        make(frame(**changes), **roles)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_fingerprints_follow_values_and_roles():
    table = frame()
    one, same = make(table), make(table.copy())
    changed = table.copy()
    changed.loc[0, "age"] += 1
    assert one.fingerprint == same.fingerprint
    assert len({one.fingerprint, make(changed).fingerprint, make(table, positive="no").fingerprint}) == 3


def test_label_values_are_counted_in_words():
    assert label_values(pd.DataFrame({"y": [1.0, 1.0, 0.0, None]}), "y") == [("1", 2), ("0", 1)]
