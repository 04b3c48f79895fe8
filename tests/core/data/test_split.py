from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.groups import make_groups, suggest_groups
from core.data.roles import make_dataset
from core.data.split import halve, make_splits
from core.types import BadInput, Roles, SplitSpec, Table


def study(n=2000, seed=0, key=None, rare=0):
    rng = np.random.default_rng(seed)
    sex = np.where(rng.random(n) < 0.3, "woman", "man").astype(object)
    sex[:rare] = "rare"
    frame = pd.DataFrame({"sex": sex, "x": rng.normal(size=n), "y": np.where(rng.random(n) < 0.2, "yes", "no")})
    if key is not None:
        frame["person"] = key
    roles = Roles("y", "yes", ("sex",), key="person" if key is not None else None)
    data = make_dataset(Table(frame), roles, "t", "T")
    return data, make_groups(data, suggest_groups(data))


def test_parts_cover_every_row_once_and_keep_the_shares_of_every_subgroup():
    data, groups = study()
    splits = make_splits(data, groups, SplitSpec())
    assert np.array_equal(np.sort(np.concatenate(splits)), np.arange(2000))
    cells = data.y * len(groups.labels) + groups.code
    for part, share in zip(splits, (0.6, 0.15, 0.25), strict=True):
        counts = np.bincount(cells[part], minlength=4)
        assert np.abs(counts - share * np.bincount(cells)).max() <= 1.01


def test_the_same_seed_gives_the_same_split_and_another_another():
    data, groups = study()
    one, same, other = (make_splits(data, groups, SplitSpec(seed=s)) for s in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, same, strict=True))
    assert not np.array_equal(one.train, other.train)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(5, 60))
def test_rows_of_one_key_stay_together(seed, keys):
    rng = np.random.default_rng(seed)
    data, groups = study(n=400, seed=seed, key=rng.integers(0, keys, 400))
    splits = make_splits(data, groups, SplitSpec(seed=seed, train=0.4, val=0.3, test=0.3))
    owners = [set(data.key[rows]) for rows in splits]
    assert not (owners[0] & owners[1] or owners[0] & owners[2] or owners[1] & owners[2])
    assert sum(map(len, splits)) == 400


def test_one_or_two_rows_of_a_subgroup_go_to_training_first():
    data, groups = study(rare=1)
    splits = make_splits(data, groups, SplitSpec())
    assert groups.labels.index("rare") in groups.code[splits.train]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (SplitSpec(train=0.5, val=0.2, test=0.2), "sum to 0.9"),
        (SplitSpec(train=0.0, val=0.5, test=0.5), "three shares"),
        (SplitSpec(train=float("nan")), "three shares"),
        (SplitSpec(seed=-1), "Split seed"),
    ],
)
def test_wrong_shares_get_one_sentence(spec, words):
    data, groups = study(100)
    with pytest.raises(BadInput, match=words):
        make_splits(data, groups, spec)


def test_too_few_rows_or_keys_are_told():
    data, groups = study(100, key=np.zeros(100))
    with pytest.raises(BadInput, match="Split key"):
        make_splits(data, groups, SplitSpec())


def test_halves_are_disjoint_and_stratified():
    rows, cells = np.arange(100, 200), np.repeat([0, 5], [80, 20])
    one, two = halve(rows, cells, 0)
    assert np.array_equal(np.sort(np.concatenate([one, two])), rows)
    assert np.bincount(cells[one - 100])[[0, 5]].tolist() == pytest.approx([40, 10], abs=1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(12, 300), st.integers(1, 40))
def test_any_table_is_cut_into_three_parts_that_cover_it(seed, n, n_groups):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"g": [f"g{k}" for k in rng.integers(0, n_groups, n)], "x": rng.normal(size=n)})
    frame["y"] = np.resize(["yes", "no", "no"], n)
    data = make_dataset(Table(frame), Roles("y", "yes", ("g",)), "t", "T")
    try:
        splits = make_splits(data, make_groups(data, suggest_groups(data)), SplitSpec(seed=seed))
    except BadInput as told:
        assert "rows in every part" in str(told)
        return
    assert np.array_equal(np.sort(np.concatenate(splits)), np.arange(n))
    assert all((np.diff(rows) > 0).all() for rows in splits)


def test_subgroups_of_one_row_each_still_leave_rows_to_test_on():
    n = 200
    frame = pd.DataFrame({"g": [f"g{k}" for k in range(n)], "x": 0.0, "y": np.resize(["yes", "no"], n)})
    data = make_dataset(Table(frame), Roles("y", "yes", ("g",)), "t", "T")
    splits = make_splits(data, make_groups(data, suggest_groups(data)), SplitSpec())
    assert [len(rows) for rows in splits] == [120, 30, 50]
