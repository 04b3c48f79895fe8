from __future__ import annotations

import pytest

from core.types import Method, Param


def test_a_method_is_stacked_unless_it_brings_its_own_fit():
    plain = Method("m", "M", "baseline", "s", "s", params=(Param("eta", 0.1, 0.0, 1.0),))
    assert plain.stacked and plain.param("eta").default == 0.1
    assert not Method("m", "M", "baseline", "s", "s", fit=lambda *a: None).stacked


def test_a_setting_that_is_not_there_is_an_error():
    with pytest.raises(StopIteration):
        Method("m", "M", "baseline", "s", "s").param("eta")
