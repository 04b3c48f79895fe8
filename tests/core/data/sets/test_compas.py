from __future__ import annotations

import pytest

from core.data.sets.compas import DATASET


def test_the_sampling_fix_leaves_out_998_rows_which_are_all_positive(opened):
    fixed, raw = opened(DATASET), opened(DATASET, fix_sampling=False)
    assert len(raw.frame) == 7_214 and len(fixed.frame) == 6_216
    assert raw.data.y.mean() == pytest.approx(0.4506, abs=1e-4)
    assert fixed.data.y.mean() == pytest.approx(0.3625, abs=1e-4)
    late = raw.frame["screening date"] > "2014-04-01"
    assert late.sum() == 998 and (raw.frame.loc[late, "outcome"] == "re-arrested").all()
    assert fixed.table.notes[0].startswith("998 rows screened after 1 April 2014")


def test_propublicas_filter_keeps_6172_rows(opened):
    filtered = opened(DATASET, fix_sampling=False, propublica_filter=True)
    assert len(filtered.frame) == 6_172
    cells = filtered.frame.groupby(["race", "sex"]).size()
    assert cells["Asian", "women"] == 2 and cells["Native American", "women"] == 2
    assert cells["African-American"].sum() == 3_175 and cells["Caucasian"].sum() == 2_103
    assert len(opened(DATASET, propublica_filter=True).frame) == 5_304


def test_six_races_of_which_the_tiny_ones_are_put_together(opened):
    compas = opened(DATASET)
    assert compas.frame["race"].nunique() == 6
    assert compas.groups.merged == ("Asian", "Native American")
    assert compas.sizes["African-American"] == 3_139 and compas.sizes["Caucasian"] == 2_132


def test_nothing_that_happened_later_is_a_feature(opened):
    features = set(opened(DATASET).data.frame.columns)
    assert features == {"sex", "age", "race", "juvenile felonies", "juvenile misdemeanors", "other juvenile offences",
                        "prior offences", "charge degree", "charge"}  # fmt: skip


def test_no_name_and_no_birth_date_is_shipped(opened):
    columns = " ".join(opened(DATASET).frame.columns).lower()
    assert not any(word in columns for word in ("name", "dob", "birth", "case_number"))
