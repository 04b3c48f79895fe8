from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core import registry
from pages._ui.catalogue import first_sentence


def test_the_first_sentence_ends_at_its_full_stop():
    assert first_sentence("The pay in U.S. dollars was cut at 50,000. Then more.") == (
        "The pay in U.S. dollars was cut at 50,000.")
    assert first_sentence("No stop at all") == "No stop at all"


@pytest.mark.parametrize("name", sorted(registry.datasets()))
def test_the_whole_card_can_be_read(name):
    def script(name):
        from core import registry
        from pages._ui import catalogue

        catalogue.read(registry.dataset(name))

    at = AppTest.from_function(script, args=(name,), default_timeout=20).run()
    said = " ".join(m.value for m in at.markdown)
    card = registry.dataset(name).card
    assert not at.exception
    assert all(part in said for part in ("Source", "Licence", "What the label means", "Groups"))
    assert said.count("- ") >= len(card.harms) > 0
