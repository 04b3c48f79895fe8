from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data.groups import bin_labels, half_width, make_groups, size_table, size_warning, suggest_groups
from core.data.roles import make_dataset
from core.data.split import make_splits
from core.types import AttributeSpec, BadInput, GroupSpec, Roles, SplitSpec, Table


def dataset(**columns):
    n = len(next(iter(columns.values())))
    frame = pd.DataFrame({**columns, "x": np.arange(n, dtype=float), "y": np.resize(["no", "yes"], n)})
    return make_dataset(Table(frame), Roles("y", "yes", tuple(columns)), "t", "T")


SEX = np.repeat(["woman", "man", None], [30, 60, 10])
AGE = np.tile([20, 39, 40, 41, 70], 20).astype(float)


def test_intersections_are_words_and_a_missing_value_is_its_own_group():
    spec = GroupSpec((AttributeSpec("sex"), AttributeSpec("age", edges=(40.0,))))
    groups = make_groups(dataset(sex=SEX, age=AGE), spec)
    assert set(groups.labels) == {
        "man, age 40+", "man, age under 40", "woman, age 40+", "woman, age under 40", "sex missing, age 40+",
        "sex missing, age under 40",
    }  # fmt: skip
    assert groups.parts[0] == {"sex": "man", "age": "age 40+"}
    assert np.bincount(groups.code).tolist() == sorted(np.bincount(groups.code), reverse=True)


def test_rows_at_an_edge_belong_to_the_upper_bin():
    groups = make_groups(dataset(age=AGE), GroupSpec((AttributeSpec("age", edges=(40.0,)),), order="name"))
    sizes = dict(zip(groups.labels, np.bincount(groups.code), strict=True))
    assert sizes == {"age 40+": 60, "age under 40": 40}


def test_bins_read_like_people_write_them():
    assert bin_labels("age", (25, 45)) == ("age under 25", "age 25–44", "age 45+")
    assert bin_labels("rate", (0.5, 1.5))[1] == "rate 0.5–under 1.5"


def test_quantiles_make_parts_of_about_equal_size():
    values = np.random.default_rng(0).normal(size=1000)
    groups = make_groups(dataset(score=values), GroupSpec((AttributeSpec("score", quantiles=4),)))
    assert np.bincount(groups.code).tolist() == pytest.approx([250] * 4, abs=2)


def test_words_replace_values_and_equal_words_join_groups():
    spec = GroupSpec((AttributeSpec("sex", words={"woman": "women", "man": "others"}),))
    assert make_groups(dataset(sex=SEX), spec).labels == ("others", "women", "sex missing")


def test_rare_intersections_are_merged_by_the_stated_rule_and_named():
    race = np.repeat(["a", "b", "c", "d"], [50, 40, 6, 4])
    groups = make_groups(dataset(race=race), GroupSpec((AttributeSpec("race"),), min_rows=10))
    assert groups.labels == ("a", "b", "other (merged)") and set(groups.merged) == {"c", "d"}
    assert np.bincount(groups.code).tolist() == [50, 40, 10]


def test_the_reference_is_the_largest_group_unless_named():
    data = dataset(sex=SEX)
    assert make_groups(data, GroupSpec((AttributeSpec("sex"),))).reference == 0
    named = make_groups(data, GroupSpec((AttributeSpec("sex"),), reference="woman"))
    assert named.labels[named.reference] == "woman"


def test_nobody_chosen_is_one_group_of_everyone():
    assert make_groups(dataset(sex=SEX), GroupSpec()).labels == ("everyone",)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (GroupSpec((AttributeSpec("nope"),)), "'nope'"),
        (GroupSpec((AttributeSpec("sex"), AttributeSpec("sex"))), "twice"),
        (GroupSpec((AttributeSpec("sex", edges=(1.0,)),)), "a column of words"),
        (GroupSpec((AttributeSpec("age", edges=(50.0, 40.0)),)), "ascending"),
        (GroupSpec((AttributeSpec("age", edges=(float("nan"),)),)), "ascending"),
        (GroupSpec((AttributeSpec("age", quantiles=99),)), "2 to 20"),
        (GroupSpec((AttributeSpec("many"),)), "different values"),
        (GroupSpec((AttributeSpec("sex"),), reference="x"), "Reference"),
        (GroupSpec((AttributeSpec("sex"),), order="x"), "Order"),
        (GroupSpec((AttributeSpec("sex"),), min_rows=-1), "Smallest group"),
    ],
)
def test_wrong_groups_get_one_sentence(spec, words):
    n = 1200
    data = dataset(sex=np.resize(SEX, n), age=np.resize(AGE, n), many=[f"v{k}" for k in range(n)])
    with pytest.raises(BadInput) as caught:
        make_groups(data, spec)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_suggestions_cut_ages_at_forty_and_other_numbers_into_quarters():
    data = dataset(age=np.arange(100.0) % 70, income=np.arange(100.0), sex=np.resize(["a", "b"], 100))
    by_name = {a.column: a for a in suggest_groups(data).attributes}
    assert by_name["age"].edges == (40.0,) and by_name["income"].quantiles == 4 and by_name["sex"].quantiles == 0


def test_sizes_count_every_cell_and_warn_in_points():
    data = dataset(sex=np.resize(["woman", "man"], 400))
    groups = make_groups(data, suggest_groups(data))
    table = size_table(data, groups, make_splits(data, groups, SplitSpec()))
    assert table["n"].sum() == 400
    assert (table[["n_train", "n_val", "n_test"]].sum(axis=1) == table["n"]).all()
    assert size_warning(0, 5).startswith("no test rows") and size_warning(500, 5) == ""
    assert "±26 points" in size_warning(10, 5)


def test_the_half_width_is_that_of_wilson_at_one_half():
    # Wilson 95 % of 50 of 100: [0.4038, 0.5962]
    assert half_width(100) == pytest.approx((0.5962 - 0.4038) / 2, abs=1e-4)
