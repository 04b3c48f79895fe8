from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data.guess import guess_label, guess_positive, guess_roles, tokens

RNG = np.random.default_rng(0)
N = 300


def frame(**columns) -> pd.DataFrame:
    base = {
        "age": RNG.integers(18, 80, N), "sex": np.where(RNG.random(N) < 0.5, "woman", "man"),
        "score": RNG.normal(size=N), "outcome": np.where(RNG.random(N) < 0.3, "yes", "no"),
    }  # fmt: skip
    return pd.DataFrame({**base, **columns})


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


def test_a_label_by_name_comes_before_the_last_column_and_two_values_before_many():
    table = pd.DataFrame({"survived": [0, 1] * 20, "class": [1, 2, 3, 1] * 10, "town": ["a", "b", "c", "d"] * 10})
    assert guess_label(table) == "survived"
    assert guess_label(table.drop(columns="survived")) == "class"
    assert guess_label(table[["town"]].assign(x=RNG.normal(size=40))) == "town"


def test_an_attribute_is_the_label_only_where_nothing_else_can_be():
    assert guess_label(pd.DataFrame({"good": [0, 1] * 20, "sex": ["w", "m"] * 20})) == "good"


@pytest.mark.parametrize(
    ("values", "positive"),
    [
        (["no"] * 2 + ["yes"] * 8, "yes"),
        ([0] * 2 + [1] * 8, "1"),
        ([-1] * 2 + [1] * 8, "1"),
        ([1] * 8 + [2] * 2, "2"),
        ([1] * 2 + [2] * 8, "1"),
        ([True] * 8 + [False] * 2, "True"),
        (["<=50K"] * 2 + [">50K"] * 8, ">50K"),
        (["left"] * 8 + ["right"] * 2, "right"),
        (["a", "b", "c"], None),
    ],
)
def test_the_positive_class_reads_as_yes_or_is_the_rarer(values, positive):
    assert guess_positive(pd.DataFrame({"y": values}), "y") == positive


@pytest.mark.parametrize(
    ("columns", "weight"),
    [
        ({"weight": np.ones(N)}, "weight"),
        ({"sample weight": np.ones(N), "height": np.ones(N)}, "sample weight"),
        ({"weight": np.ones(N), "height": np.ones(N)}, None),
        ({"shell weight": np.ones(N)}, None),
        ({"weight": np.r_[np.nan, np.ones(N - 1)]}, None),
        ({"weight": np.r_[0.0, np.ones(N - 1)]}, None),
        ({"fnlwgt": np.arange(N) + 1}, "fnlwgt"),
    ],
)
def test_a_sample_weight_is_positive_everywhere_and_not_the_weight_of_a_body(columns, weight):
    assert guess_roles(frame(**columns)).roles.weight == weight


@pytest.mark.parametrize(
    ("name", "values", "key"),
    [
        ("user_id", np.resize(np.arange(90), N), True),
        ("accountId", np.resize(np.arange(90), N), True),
        ("patient", np.resize(np.arange(90), N), True),
        ("region id", np.resize(np.arange(5), N), False),
        ("id", np.arange(N), False),
        ("user score", RNG.normal(size=N), False),
    ],
)
def test_a_split_key_repeats_and_is_named_like_a_person(name, values, key):
    assert (guess_roles(frame(**{name: values})).roles.key == name) is key


def test_a_column_that_is_there_or_missing_is_no_constant():
    assert "flag" not in guess_roles(frame(flag=np.where(RNG.random(N) < 0.5, "x", None))).roles.dropped


def test_names_are_cut_into_words():
    assert tokens("userId") >= {"user", "id"} and tokens("marital-status") >= {"marital", "status"}
