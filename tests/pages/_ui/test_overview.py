from __future__ import annotations

from core.data.load import default_study
from core.types import StudySpec
from pages._ui import overview


def test_the_answer_fits_the_kind_of_label():
    assert "23.9 % of the rows" in overview.answer(default_study("adult"))
    assert "3 classes" in overview.answer(default_study("penguins"))
    assert "Training needs classes" in overview.answer(default_study("cps_wages"))
    assert "Nothing is confirmed" in overview.answer(StudySpec("a", default_study("adult").data))


def test_the_range_is_told_between_groups_large_enough_to_speak_of():
    said = overview.answer(default_study("adult"))
    assert "5.7 % (women\\, Black)" in said and "33.9 % (men\\, Asian or Pacific Islander)" in said
