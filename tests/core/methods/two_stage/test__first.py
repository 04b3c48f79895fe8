from __future__ import annotations

from core import registry
from core.methods.two_stage._first import FIRST


def test_the_share_of_stage_one_cuts_the_iterations_so_runs_that_differ_in_it_are_not_stacked():
    assert FIRST.static and FIRST.name == "first" and 0 < FIRST.low < FIRST.default < FIRST.high < 1
    assert registry.method("jtt").param("first") is registry.method("dfr").param("first")
