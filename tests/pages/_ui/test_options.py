from __future__ import annotations

import pytest

from core.types import BadInput, SplitSpec
from pages._ui.options import make_split


def test_what_is_not_validation_or_test_is_for_training():
    assert make_split(15.0, 25.0, 0) == SplitSpec(0, 0.6, 0.15, 0.25)


@pytest.mark.parametrize("given", [(60.0, 60.0, 0), (50.0, 45.0, 0), (None, 25.0, 0), (15.0, 25.0, None)])
def test_a_split_without_training_rows_or_with_an_empty_field_is_refused(given):
    with pytest.raises(BadInput, match="Split"):
        make_split(*given)
