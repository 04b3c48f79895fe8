from __future__ import annotations

import pytest

from core import registry
from core.types import DataSpec
from pages._ui import facts


@pytest.mark.parametrize("name", sorted(registry.datasets()))
def test_the_catalogue_tells_what_the_data_hold(name):
    assert dict(facts.known().get(name, {})) == facts.measure(name), "run `python -m pages._ui.facts`"


def test_facts_are_words():
    assert facts.in_words("hmda") == "2,380 rows, 12.0 % denied, 2 groups"
    assert "a number to predict" in facts.in_words("cps_wages")
    assert "3 classes" in facts.in_words("penguins")


def test_a_set_that_was_not_counted_still_has_its_rows(monkeypatch):
    monkeypatch.setattr(facts, "known", dict)
    assert facts.in_words("hmda") == "2,380 rows"


def test_every_source_has_a_title():
    assert facts.title_of(DataSpec("builtin", "hmda")) == registry.dataset("hmda").title
    assert facts.title_of(DataSpec("builtin", "no-longer-here")) == "no-longer-here"
    assert facts.title_of(DataSpec("upload", "mine.csv")) == "mine.csv"
    assert facts.title_of(DataSpec("path", "", path="a/b.csv")) == "b.csv"
