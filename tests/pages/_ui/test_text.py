from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages._ui.text import JOINER, ago, clean, count, duration, label, percent, plain


@pytest.mark.parametrize("nasty", ["**bold**", "[a](http://x.y)", ":red[hot]", "$x^2$", "<b>x</b>", ":material/home:",
                                   "# title", "![i](http://x/y.png)", "`code`", "~~gone~~", "a|b", "1. one", "www.a.b"])
def test_every_mark_of_untrusted_text_is_escaped(nasty):
    shown = plain(nasty).replace(JOINER, "")
    assert not re.search(r"(?<!\\)[*\[\]()$<>#`~|:.!_]", shown)
    assert re.sub(r"\\(.)", r"\1", shown) == nasty


    assert label(nasty) == plain(nasty)


@pytest.mark.parametrize("words", ["men, White (45+)", "African-American", "step of the weights (η)", "under 1.5; 2 %"])
def test_a_label_that_formats_nothing_is_read_out_letter_for_letter(words):
    assert label(words) == words


def test_text_replacements_are_broken_by_an_invisible_joiner():
    assert f":{JOINER}smile" in plain(":smile:")
    assert f"-{JOINER}" in plain("a -> b")
    assert f"WWW{JOINER}" in plain("WWW.x.org") and f"@{JOINER}" in plain("a@b.org")


@given(st.text(max_size=300))
def test_plain_text_is_one_line_and_loses_no_visible_character(text):
    shown = plain(text, limit=1000)
    assert not re.search(r"[\n\r\t]", shown)
    assert re.sub(r"\\(.)", r"\1", shown).replace(JOINER, "") == clean(text, 1000).replace(JOINER, "")


def test_long_and_invisible_text_is_cut():
    assert clean("a\u202eb\x00c") == "a b c"
    assert len(clean("x" * 500)) == 120 and clean("x" * 500).endswith("…")


def test_numbers_read_as_words():
    assert percent(0.239) == "23.9 %"
    assert percent(0.00004) == "0.004 %"
    assert percent(0.0) == "0.0 %"
    assert percent(float("nan")) == "undefined"
    assert count(1, "row") == "1 row" and count(1200, "row") == "1,200 rows"
    assert count(2, "study", "studies") == "2 studies"
    assert duration(None) == "time left unknown"
    assert [duration(s) for s in (4.4, 65, 3700)] == ["4 s", "1 min 5 s", "1 h 1 min"]


def test_times_are_told_as_distances(monkeypatch):
    monkeypatch.setattr("pages._ui.text.time.time", lambda: 1_000_000.0)
    assert [ago(1_000_000.0 - s) for s in (1, 60, 7200, 200_000)] == [
        "just now", "1 minute ago", "2 hours ago", "2 days ago"]
