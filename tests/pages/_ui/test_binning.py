from __future__ import annotations

import pytest

from core.types import BadInput
from pages._ui.binning import read_edges


def test_cuts_are_sorted_and_without_doubles():
    assert read_edges("45; 25 45", "age", 17, 90) == (25.0, 45.0)


@pytest.mark.parametrize("typed", ["", "forty", "17", "91", "nan", "inf", "25, x"])
def test_cuts_that_make_no_band_are_refused_with_the_range(typed):
    with pytest.raises(BadInput, match="numbers above 17 and up to 90"):
        read_edges(typed, "age", 17, 90)
