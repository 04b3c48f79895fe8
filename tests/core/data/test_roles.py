from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data.roles import make_dataset
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


def test_one_row_that_carries_nearly_all_weight_is_told():
    told = make(frame(w=np.r_[1e12, np.ones(N - 1)]), weight="w").notes[0]
    assert "One row carries 99.9 % of all weight in w: 300 rows count like 1.0 of equal weight" in told
    tenth = make(frame(w=np.r_[np.full(20, 1e6), np.ones(N - 20)]), weight="w").notes[0]
    assert "One row carries 5.0 % of all weight in w: 300 rows count like 20.0" in tenth


def test_ordinary_weights_are_not_told():
    assert make(frame(w=RNG.random(N) + 0.01), weight="w").notes == ()
    assert make(frame(w=np.r_[30.0, np.ones(N - 1)]), weight="w").notes == ()


def test_weights_whose_sum_is_no_number_are_scaled_first():
    dataset = make(frame(w=np.full(N, 1e308)), weight="w")
    assert dataset.weight.tolist() == [1.0] * N and dataset.notes == ()


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
        ({}, {"dropped": {"nope": "x"}}, "does not have"),
        ({}, {"text": ("nope",)}, "does not have"),
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


def test_a_copy_of_the_label_is_no_attribute_and_one_in_other_words_is_told():
    table = frame()
    table["copy"], table["same"] = table["outcome"], np.where(table["outcome"] == "yes", "red", "green")
    with pytest.raises(BadInput, match="a copy of the label"):
        make(table, attributes=("copy",))
    assert "says the same as the label" in make(table, attributes=("same",)).notes[0]
    table.loc[0, ["copy", "same"]] = None
    assert make(table, attributes=("copy", "same")).notes == ()


def test_rows_without_a_key_are_on_their_own_and_counted():
    dataset = make(frame(person=[None] * 10 + ["a"] * (N - 10)), key="person")
    assert len(set(dataset.key)) == 11 and "10 rows without person" in dataset.notes[-1]


def test_dates_are_attributes_by_their_year_and_features_by_their_day():
    born = pd.Series(pd.date_range("1950-06-01", periods=N, freq="90D"))
    born[0] = pd.NaT
    dataset = make(frame(born=born), attributes=("born",))
    assert dataset.attributes["born"].isna()[0] and dataset.attributes["born"][1] == 1950
    assert pd.api.types.is_datetime64_any_dtype(dataset.frame["born"])


def test_a_threshold_makes_classes_also_where_the_task_says_regression():
    dataset = make(frame(), label="score", threshold=0.0, positive=None, task="regression")
    assert len(dataset.classes) == 2 and set(dataset.y) == {0, 1}
