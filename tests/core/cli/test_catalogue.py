from __future__ import annotations

import json

import pytest

from core import registry
from core.cli.catalogue import LISTS, param_facts, show, table
from core.types import Param


@pytest.mark.parametrize("name", LISTS)
def test_lists_hold_everything_the_registry_holds_in_both_forms(name):
    rows = json.loads(show(name, "json"))
    known = registry.metrics("") if name == "metrics" else getattr(registry, name)()
    assert [row["name"] for row in rows] == list(known)
    text = show(name, "table")
    assert all(word in text for word in known) and text.splitlines()[0].startswith("name")


def test_methods_tell_what_scripts_need():
    rows = {row["name"]: row for row in json.loads(show("methods", "json"))}
    dro = rows["group_dro"]
    assert dro["family"] == "robust" and "attr_train" in dro["needs"] and dro["source"]
    assert isinstance(dro["papers"], list) and all(isinstance(n, int) for n in dro["papers"])
    eta = next(p for p in dro["params"] if p["name"] == "eta")
    assert eta["low"] <= eta["default"] <= eta["high"]
    assert {row["reconstruction"] for row in rows.values()} >= {None}


def test_metrics_say_what_they_are_on_and_an_open_bound_is_null():
    rows = {row["name"]: row for row in json.loads(show("metrics", "json"))}
    assert [rows[name]["on"] for name in ("for", "ece", "gme")] == ["counts", "scores", "moments"]
    assert rows["log_loss"]["bounds"] == [0.0, None] and rows["mean_prediction"]["bounds"] == [None, None]


def test_data_sets_tell_their_licence_and_harms():
    rows = {row["name"]: row for row in json.loads(show("datasets", "json"))}
    assert rows["compas"]["harms"] and rows["adult"]["n_rows"] == 48842 and rows["adult"]["licence"]


def test_a_settings_range_has_its_own_type_and_null_where_open():
    whole, real = param_facts(Param("k", 2, 1, 9)), param_facts(Param("lam", 0.5, 0, 2))
    assert whole["high"] == 9 and isinstance(whole["high"], int)
    assert real["low"] == 0.0 and isinstance(real["low"], float)
    words = param_facts(Param("kind", "a", choices=("a", "b")))
    assert words["low"] is None and words["high"] is None and words["choices"] == ["a", "b"]


def test_long_cells_go_on_below_and_nothing_is_cut():
    text = table(["a", "b"], [["word " * 30, "x"], ["", "y"]])
    assert text.count("word") == 30 and all(len(line) <= 63 for line in text.splitlines())
