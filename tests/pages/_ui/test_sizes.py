from __future__ import annotations

from dataclasses import replace

from core.data.load import default_study
from core.types import GroupSpec
from pages._ui import sizes


def test_the_answer_names_the_smallest_subgroup_and_what_can_be_known_of_it():
    said = sizes.answer(default_study("adult"))
    assert "**10 groups**" in said and "11 rows, 2 of them" in said and "±41 points" in said


def test_one_group_compares_nothing():
    assert "Everyone is in one group" in sizes.answer(replace(default_study("adult"), groups=GroupSpec()))
