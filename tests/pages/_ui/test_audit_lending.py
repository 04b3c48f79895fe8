from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def drawn(**address):
    def page():
        from pages._ui import audit_lending

        audit_lending.show()

    at = AppTest.from_function(page)
    for name, value in address.items():
        at.query_params[name] = value
    return at.run()


def test_the_truth_stands_beside_what_pairs_say():
    at = drawn()
    assert not at.exception
    said = at.markdown[0].value
    assert "truly changes approval by **−18.9 points**" in said and "which covers the truth" in said
    assert "misses that" in said and "balanced data do not make it fair" in said
    table = at.dataframe[0].value
    assert list(table["train"]) == ["Everybody", "Matched pairs", "Matched pairs, race shuffled within"]
    assert (table["nothing that race changed"] == "0.0 % (0.0–0.1)").all()


@pytest.mark.parametrize("direct", ["0", "60"])
def test_without_a_stand_in_only_seeing_race_can_change_a_decision(direct):
    at = drawn(lend_direct=direct, lend_through="0")
    assert not at.exception and "never changes its decision" in at.markdown[0].value
    if direct == "0":
        assert "by **0.0 points**" in at.markdown[0].value
