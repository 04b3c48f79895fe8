from __future__ import annotations

from pages._ui.columns import BY_HAND, read

COLUMNS = ["id", "age", "words", "y", "w"]


def test_dropped_columns_keep_their_reason_or_get_one():
    text, dropped = read(COLUMNS, ["dropped", "dropped", "text", "feature", "feature"],
                         ["an identifier", "", "", "", ""], {"y": "label"})
    assert text == ("words",)
    assert dropped == {"id": "an identifier", "age": BY_HAND}


def test_label_and_weight_are_neither_features_nor_dropped():
    text, dropped = read(COLUMNS, ["feature", "feature", "feature", "dropped", "text"], [""] * 5,
                         {"y": "label", "w": "weight"})
    assert (text, dropped) == ((), {})


def test_an_attribute_can_be_hidden_from_the_models():
    assert read(["age"], ["dropped"], ["hidden"], {"age": "group"})[1] == {"age": "hidden"}
