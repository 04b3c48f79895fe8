from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data.groups import bin_labels, half_width, make_groups, number, size_table, size_warning, suggest_groups
from core.data.roles import make_dataset
from core.data.split import make_splits
from core.types import AttributeSpec, BadInput, GroupSpec, Roles, SplitSpec, Table


def dataset(**columns):
    n = len(next(iter(columns.values())))
    frame = pd.DataFrame({**columns, "x": np.arange(n, dtype=float), "y": np.resize(["no", "no", "yes", "yes"], n)})
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
    assert bin_labels("grade", (1, 2, 3))[1] == "grade 1"
    assert len(set(bin_labels("pay", (1e6 + 0.21, 1e6 + 0.22)))) == 3
    assert [number(v) for v in (40, 2.5, 1984, 10_000, 1234.5)] == ["40", "2.5", "1984", "10,000", "1,234.5"]


def test_quantiles_make_parts_of_about_equal_size():
    values = np.random.default_rng(0).normal(size=1000)
    groups = make_groups(dataset(score=values), GroupSpec((AttributeSpec("score", quantiles=4),)))
    assert np.bincount(groups.code).tolist() == pytest.approx([250] * 4, abs=2)


def test_quantiles_of_whole_numbers_have_edges_that_occur():
    values = np.random.default_rng(0).integers(18, 80, 999)
    groups = make_groups(dataset(age=values), GroupSpec((AttributeSpec("age", quantiles=4),)))
    assert all(float(w).is_integer() for label in groups.labels for w in label.replace("–", " ").split() if w.isdigit())
    assert not any("." in label for label in groups.labels)


def test_values_that_say_nothing_alone_come_with_the_name_of_their_column():
    data = dataset(
        disabled=np.arange(100) % 2 == 0, student=np.resize(["yes", "yes", "no"], 100), grade=np.arange(100) % 2
    )
    spec = GroupSpec((AttributeSpec("disabled"), AttributeSpec("student"), AttributeSpec("grade")), order="name")
    assert make_groups(data, spec).labels[0] == "disabled: no, student: no, grade 1"
    words = replace(spec, attributes=(AttributeSpec("disabled", words={"True": "disabled", "False": "not disabled"}),))
    assert set(make_groups(data, words).labels) == {"disabled", "not disabled"}


def test_values_with_commas_never_make_two_groups_of_one_name():
    data = dataset(job=np.resize(["p, q", "p"], 100), town=np.resize(["r", "q, r"], 100))
    labels = make_groups(data, GroupSpec((AttributeSpec("job"), AttributeSpec("town")))).labels
    assert set(labels) == {"job 'p, q', town 'r'", "job 'p', town 'q, r'"}


def test_the_word_missing_and_a_missing_value_are_one_group():
    data = dataset(sex=np.resize(["missing", None, "w"], 99))
    groups = make_groups(data, GroupSpec((AttributeSpec("sex"),)))
    assert groups.labels == ("sex missing", "w") and np.bincount(groups.code).tolist() == [66, 33]


@pytest.mark.parametrize(
    "spec", [AttributeSpec("a"), AttributeSpec("a", quantiles=4), AttributeSpec("a", edges=(1.0,))]
)
def test_an_attribute_that_is_always_missing_is_one_group(spec):
    assert make_groups(dataset(a=np.full(50, np.nan)), GroupSpec((spec,))).labels == ("a missing",)


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
    data = dataset(age=np.arange(2000.0) % 70, income=np.arange(2000.0), sex=np.resize(["a", "b"], 2000))
    by_name = {a.column: a for a in suggest_groups(data).attributes}
    assert by_name["age"].edges == (40.0,) and by_name["income"].quantiles == 4 and by_name["sex"].quantiles == 0


def test_suggested_groups_leave_rows_enough_in_each():
    rng = np.random.default_rng(0)
    data = dataset(
        sex=rng.choice(["a", "b"], 1000), race=rng.choice(list("abcdef"), 1000), town=rng.choice(list("uvw"), 1000)
    )
    assert [a.column for a in suggest_groups(data).attributes] == ["sex", "town"]  # at most ten groups of 100
    old = dataset(age=rng.integers(50, 90, 1000), age_years=rng.integers(20, 60, 1000))
    assert [(a.edges, a.quantiles) for a in suggest_groups(old).attributes] == [((), 4), ((40.0,), 0)]


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
