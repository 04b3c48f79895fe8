from __future__ import annotations

import dataclasses
import socket

import numpy as np
import pandas as pd
import pytest

from core import registry
from core.checks.dataset import CHECKS, failures, variants
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Param, Roles, Table

SETS = registry.datasets()
ORDER = ["adult", "compas", "hmda", "law_school", "credit_taiwan", "resume_names", "nass_crash", "abalone19",
         "german_credit", "mnist_tint", "clothing_reviews", "communities_crime", "cps_wages", "penguins"]  # fmt: skip


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", SETS)
def test_dataset(name, check):
    CHECKS[check](SETS[name])


def test_the_catalogue_holds_the_fourteen_sets_in_order():
    assert [n for n in SETS if n in ORDER] == ORDER


def test_variants_try_every_option_at_its_ends_and_choices():
    entry = dataclasses.replace(_toy(), params=(Param("a", True), Param("b", 3, low=1, high=9),
                                                Param("c", "x", choices=("x", "y"))))  # fmt: skip
    assert list(variants(entry)) == [{}, {"a": False}, {"b": 1}, {"b": 9}, {"c": "y"}]


# ------------------------------------------------------------------ a set that passes, and ways to fail


def _frame(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        "who": pd.Series(rng.choice(["women", "men"], n), dtype="str"),
        "age": rng.integers(18, 80, n),
        "answer": pd.Series(rng.choice(["yes", "no"], n), dtype="str"),
    })  # fmt: skip


def _load(options):
    if options:
        registry.dataset("adult").load(options)  # refuses every option
    return Table(_frame())


_load.__module__ = "core.data.sets.toy"


def _roles(options):
    registry.dataset("adult").roles(options)
    return Roles(label="answer", positive="yes", attributes=("who",))


def _groups(options):
    registry.dataset("adult").groups(options)
    return GroupSpec(attributes=(AttributeSpec("who"),))


def _toy(**changes) -> DatasetEntry:
    sentence = "This is a sentence that says something about the matter."
    card = Card("somewhere", "CC0", "somebody", sentence, sentence, (sentence,) * 3, 200, 3)
    return dataclasses.replace(DatasetEntry("toy", "Toy", card, _load, _roles, _groups), **changes)


def _loads(change):
    """A load function whose table went through `change`."""

    def load(options):
        table = _load(options)
        return change(table) or table

    load.__module__ = _load.__module__
    return load


def _found(entry: DatasetEntry) -> str:
    return " | ".join(failures(entry))


def test_a_sound_set_passes():
    assert _found(_toy()) == ""


def test_an_empty_card_is_caught():
    card = dataclasses.replace(_toy().card, licence="", harms=())
    assert "toy:words: fill in `licence`" in _found(_toy(card=card))
    assert "at least three harms" in _found(_toy(card=dataclasses.replace(_toy().card, harms=())))


def test_wrong_counts_on_the_card_are_caught():
    found = _found(_toy(card=dataclasses.replace(_toy().card, n_rows=201)))
    assert "`n_rows` is 201, the most any option loads is 200" in found


def test_hidden_missing_values_and_mixed_columns_are_caught():
    def question_mark(table):
        table.frame.loc[3, "who"] = "?"

    def mixed(table):
        return Table(table.frame.assign(extra=pd.Series([1, "a"] * 100, dtype=object)))

    assert "who hides missing values in words" in _found(_toy(load=_loads(question_mark)))
    assert "toy:dtypes: extra is object" in _found(_toy(load=_loads(mixed)))


def test_a_leaking_feature_is_caught():
    def leak(table):
        return Table(table.frame.assign(later=(table.frame["answer"] == "yes").astype(int)))

    assert "toy:no_leak: drop these with a reason: {'later'" in _found(_toy(load=_loads(leak)))


def test_a_group_too_small_for_every_part_must_be_told():
    def lonely(table):
        table.frame.loc[0, "who"] = "one person"

    entry = _toy(load=_loads(lonely))
    assert "['one person'] have no val row" in _found(entry)
    told = dataclasses.replace(entry.card, groups="There is one person who is alone: one person, in one part only.")
    assert "one person" not in _found(dataclasses.replace(entry, card=told))


def test_chance_without_a_seed_and_shared_tables_are_caught():
    rng, table = np.random.default_rng(0), Table(_frame())

    def chance(t):
        t.frame["age"] = rng.integers(18, 80, len(t.frame))

    assert "two loads differ" in _found(_toy(load=_loads(chance)))
    assert "toy:repeatable" in _found(_toy(load=_loads(lambda _: table)))


def test_a_network_connection_is_caught():
    def ask(_):
        socket.getaddrinfo("localhost", 80)

    assert "toy:offline: loading opens a network connection" in _found(_toy(load=_loads(ask)))


def test_unchecked_options_and_codes_for_classes_are_caught():
    def loose(options):
        return Roles(label="answer", positive="1", attributes=("who",))

    def codes(table):
        table.frame["answer"] = table.frame["answer"].map({"yes": "1", "no": "0"}).astype("str")

    found = _found(_toy(load=_loads(codes), roles=loose))
    assert "loose takes the options {'no such option': 1}" in found
    assert "are codes; use words" in found
