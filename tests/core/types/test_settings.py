from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import BadInput, Param

ETA = Param("eta", 0.01, 1e-4, 1.0, log=True, symbol="η", title="Step")


def test_a_bad_value_is_told_in_one_sentence_with_field_found_allowed_and_hint():
    with pytest.raises(BadInput) as caught:
        ETA.check(5)
    assert str(caught.value) == "Step (η): found 5, allowed is a number from 0.0001 to 1; use 0.01, the default."


@pytest.mark.parametrize("value", ["0.1", None, True, float("nan"), float("inf"), -1, 2, [0.1]])
def test_values_of_another_kind_are_refused(value):
    with pytest.raises(BadInput):
        ETA.check(value)


def test_whole_numbers_words_and_switches_keep_their_type():
    assert Param("k", 5, 1, 9).check(3.0) == 3 and isinstance(Param("k", 5, 1, 9).check(3.0), int)
    with pytest.raises(BadInput, match="whole number"):
        Param("k", 5, 1, 9).check(2.5)
    assert Param("on", False).check(True) is True
    with pytest.raises(BadInput, match="true or false"):
        Param("on", False).check(1)
    with pytest.raises(BadInput, match="one of a, b"):
        Param("kind", "a", choices=("a", "b")).check("c")


def test_logarithmic_grids_have_constant_factors_and_reach_both_ends():
    assert ETA.grid(0.001, 0.1, 3) == (0.001, 0.01, 0.1)
    assert Param("x", 1.0, 0.0, 10.0).grid(0, 10, 5) == (0.0, 2.5, 5.0, 7.5, 10.0)
    assert Param("k", 2, 1, 4).grid(1, 4, 10) == (1, 2, 3, 4)


@given(st.floats(1e-4, 1), st.floats(1e-4, 1), st.integers(1, 30))
def test_every_value_of_a_grid_is_allowed(a, b, points):
    low, high = sorted((a, b))
    values = ETA.grid(low, high, points)
    assert 1 <= len(values) <= points and all(ETA.check(v) == v for v in values)
