from __future__ import annotations

import pytest

from core.fields import Fields, at, decode, scalar, shown, text_of
from core.types import BadInput


def test_dotted_names_begin_without_a_dot():
    assert at("", "budget") == "budget" and at("trainings[0].budget", "lr") == "trainings[0].budget.lr"


def test_long_values_are_cut_in_messages():
    assert len(shown("x" * 5000)) == 60 and shown(None) == "null" and shown(True) == "true" and shown([1]) == "a list"
    assert shown({}) == "an object"


@pytest.mark.parametrize(("content", "word"), [
    (b"\xff\xfe\x00", "not text"), (b"", "line 1, column 1"), (b"[" * 200_000, "nested"), (b'{"a": NaN}', "NaN"),
    (b'{"a": -Infinity}', "-Infinity"), (b"[1, 2]", "a list"), (b'{"a": 1, "a": 2}', "twice"),
    (b'{"a": ' + b"9" * 6000 + b"}", "digits"), (b" " * 1001, "MB"),
])
def test_what_is_no_plain_json_object_is_refused_in_one_sentence(content, word):
    with pytest.raises(BadInput) as refused:
        decode(content, "Study file", 1000 if len(content) == 1001 else 10**6)
    assert word in str(refused.value) and "\n" not in str(refused.value) and str(refused.value).startswith("Study file")


def test_byte_order_mark_is_passed_over():
    assert decode(b'\xef\xbb\xbf{"a": 1}', "File", 100) == {"a": 1}


def test_a_huge_exponent_is_not_a_number():
    with pytest.raises(BadInput, match="x: found inf"):
        scalar(decode(b'{"a": 1e999}', "File", 100)["a"], "x")


@pytest.mark.parametrize("text", ["a\0b", "\ud800", 3])
def test_text_that_no_database_holds_is_refused(text):
    with pytest.raises(BadInput, match="^name: "):
        text_of(text, "name")


def test_unknown_field_is_named_with_the_known_ones():
    with pytest.raises(BadInput, match=r"budget\.iteration: found an unknown field, allowed is iterations"):
        Fields({"iteration": 3}, "budget", ("iterations",))


def test_types_are_strict_and_null_is_missing():
    own = Fields({"n": 3.0, "flag": 0, "x": "1", "words": {"a": "b"}, "none": None, "one": "w"}, "", None)
    assert own.whole("n", 1, 0, 9) == 3 and own.number("none", 2.5) == 2.5 and own.words("words") == {"a": "b"}
    assert own.texts("one") == ("w",) and own.texts("none") == () and own.has("none") and not own.given("none")
    for read in (lambda: own.flag("flag", True), lambda: own.number("x"), lambda: own.whole("x", 0, 0, 9),
                 lambda: own.text("n"), lambda: own.number("none"), lambda: own.text("none")):
        with pytest.raises(BadInput):
            read()


def test_true_is_not_the_number_one():
    for read in (Fields({"n": True}, "", None).number, lambda n: Fields({"n": True}, "", None).whole(n, 0, 0, 9)):
        with pytest.raises(BadInput, match="true"):
            read("n")
