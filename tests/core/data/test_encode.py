from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data.encode import encode_column, encode_number, encode_words, make_task
from core.data.groups import make_groups, suggest_groups
from core.data.roles import make_dataset
from core.data.split import make_splits
from core.types import BadInput, Roles, SplitSpec, Table

TRAIN = np.arange(6)


def test_numbers_are_imputed_and_scaled_by_training_rows_alone():
    values = np.array([1.0, 2.0, 3.0, np.nan, 5.0, 4.0, 1e6, np.nan])
    block = encode_number(values, TRAIN, "x")
    seen = np.array([1.0, 2.0, 3.0, 5.0, 4.0])  # their median, 3, stands for the missing one
    assert block.names == ("x", "x missing")
    filled = np.array([1.0, 2.0, 3.0, 3.0, 5.0, 4.0])
    np.testing.assert_allclose(block.values[:6, 0], (filled - seen.mean()) / seen.std(), rtol=1e-5)
    assert block.values[6, 0] == 10 and block.values[:, 1].tolist() == [0, 0, 0, 1, 0, 0, 0, 1]


def test_infinite_values_count_as_missing():
    block = encode_number(np.array([1.0, 2.0, np.inf, 3.0, 4.0, 5.0]), TRAIN, "x")
    assert block.values[2, 1] == 1 and np.isfinite(block.values).all()


def test_levels_unseen_in_training_are_other_or_nobody():
    column = pd.Series(["a", "b", "a", None, "b", "c", "new", "a"])
    block = encode_words(column, TRAIN, "w")
    assert block.names == ("w = a", "w = b", "w = c", "w = missing")
    assert block.values[6].sum() == 0 and (block.values[:6].sum(1) == 1).all()


def test_two_levels_give_one_column_and_one_level_none():
    assert encode_words(pd.Series(["a", "b"] * 3), TRAIN, "w").names == ("w = b",)
    assert encode_words(pd.Series(["a"] * 6), TRAIN, "w").values.shape == (6, 0)


def test_rare_levels_beyond_fifty_are_put_together():
    column = pd.Series([f"l{k}" for k in range(80)] * 3 + ["l0"] * 10)
    block = encode_words(column, np.arange(250), "w")
    assert len(block.names) == 51 and block.names[-1] == "w = other"
    assert (block.values.sum(1) == 1).all()


def test_dates_and_switches_become_numbers():
    dates = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", None, "2020-01-05", "2020-01-06"]))
    block = encode_column(dates, TRAIN, "day")
    assert block.names[0] == "day" and block.values[1, 0] < block.values[2, 0]
    assert encode_column(pd.Series([True, False] * 3), TRAIN, "b").values.ravel().tolist() == [1, 0] * 3


def test_dates_far_ahead_and_with_a_time_zone_are_numbers():
    far = pd.Series(pd.to_datetime(["9999-12-31", "2020-01-01"] * 3))
    zoned = pd.Series(pd.date_range("2020", periods=6, tz="Asia/Tokyo"))
    for dates in (far, zoned):
        block = encode_column(dates, TRAIN, "day")
        assert block.values.shape == (6, 1) and np.isfinite(block.values).all() and block.values.std() > 0.9


@pytest.mark.parametrize("factor", [1e-310, 1e-200, 1.0, 1e200, 1e307])
def test_numbers_of_any_size_are_scaled_and_finite(factor):
    block = encode_number(np.array([1.0, 2, 3, 4, 5, 6]) * factor, TRAIN, "x")
    np.testing.assert_allclose(block.values[:, 0], (np.arange(6) - 2.5) / np.arange(6).std(), rtol=1e-5)


def test_differences_that_are_rounding_errors_are_no_feature():
    assert encode_number(1e9 + 1e-7 * np.arange(6), TRAIN, "x").values.shape == (6, 0)
    assert encode_number(np.full(6, 0.1) + np.array([0, 0, 0, 1e-17, 0, 0]), TRAIN, "x").values.shape == (6, 0)


def test_a_level_called_other_takes_in_the_rare_ones():
    column = pd.Series([f"l{k}" for k in range(80)] + ["other"] * 40)
    block = encode_words(column, np.arange(120), "w")
    assert len(set(block.names)) == len(block.names) == 50 and (block.values.sum(1) == 1).all()


def parts(n=400, task="binary"):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "age": rng.integers(18, 80, n).astype(float), "job": np.resize(["a", "b", "c", None], n),
        "sex": np.resize(["woman", "man"], n), "y": np.resize(["no", "yes", "yes"], n), "v": rng.normal(size=n),
    })  # fmt: skip
    roles = Roles("y", "yes", ("sex",)) if task == "binary" else Roles("v", None, ("sex",), task="regression")
    data = make_dataset(Table(frame), roles, "t", "T")
    groups = make_groups(data, suggest_groups(data))
    return data, groups, make_splits(data, groups, SplitSpec())


def test_a_task_is_finite_float32_with_a_name_for_every_column():
    task = make_task(*parts())
    assert task.x.dtype == np.float32 and np.isfinite(task.x).all()
    assert len(task.feature_names) == task.x.shape[1] and task.n_attrs == 2 and not task.weighted
    assert np.array_equal(np.sort(np.concatenate([task.val_fit, task.val_select])), task.splits.val)


def test_nothing_about_test_rows_reaches_the_encoding_of_training_rows():
    data, groups, splits = parts()
    notes = pd.Series(np.resize(["good day to all", "bad day to all", "all good here"], 400))
    data = replace(data, frame=data.frame.assign(note=notes), roles=replace(data.roles, text=("note",)))
    frame = data.frame.copy()
    frame.loc[splits.test, "age"] = 1e9
    frame.loc[splits.test, "v"] = np.nan
    frame.loc[splits.test, "job"] = "never seen"
    frame.loc[splits.test, "note"] = "words of another kind altogether"
    one, other = make_task(data, groups, splits), make_task(replace(data, frame=frame), groups, splits)
    shared = [other.feature_names.index(name) for name in one.feature_names]
    assert np.array_equal(one.x[splits.train], other.x[splits.train][:, shared])
    assert np.isfinite(other.x).all() and other.x[splits.test].max() <= 10


def test_the_fingerprint_follows_the_split():
    data, groups, splits = parts()
    one = make_task(data, groups, splits)
    other = make_task(data, groups, make_splits(data, groups, SplitSpec(seed=1)))
    assert one.fingerprint == make_task(data, groups, splits).fingerprint != other.fingerprint


def test_images_are_flattened_with_their_shape():
    data, groups, splits = parts()
    images = np.random.default_rng(0).random((400, 3, 4, 4), dtype=np.float32)
    task = make_task(replace(data, images=images), groups, splits)
    assert task.x.shape == (400, 48) and task.image_shape == (3, 4, 4)


def test_a_number_to_predict_is_refused_with_the_way_out():
    with pytest.raises(BadInput, match="threshold"):
        make_task(*parts(task="regression"))


def test_a_table_without_a_varying_feature_is_refused():
    data, groups, splits = parts()
    with pytest.raises(BadInput, match="no column that varies"):
        make_task(replace(data, frame=pd.DataFrame({"c": np.ones(400)})), groups, splits)
