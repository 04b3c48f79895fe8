from __future__ import annotations

from core import registry
from pages._ui.method_cards import matching, text_of


def names(*args):
    return {m.name for m in matching(*args)}


def test_all_words_must_be_found_somewhere_whatever_their_case():
    assert "group_dro" in names("SAGAWA group", "", "") and names("sagawa focal", "", "") == set()
    assert names("", "", "") == set(registry.methods())


def test_methods_are_split_by_whether_they_see_groups_while_training():
    seen, blind = names("", "", "seen"), names("", "", "blind")
    assert seen | blind == set(registry.methods()) and not seen & blind
    assert "group_dro" in seen and "group_thresholds" in blind


def test_settings_and_symbols_can_be_searched():
    assert "η" in text_of(registry.method("group_dro")) and "group_dro" in names("η", "", "")
