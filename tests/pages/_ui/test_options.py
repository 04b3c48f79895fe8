from __future__ import annotations

from dataclasses import replace

import pytest

from core.data.load import default_study
from core.types import BadInput, SplitSpec
from pages._ui import state
from pages._ui.options import make_split


def test_what_is_not_validation_or_test_is_for_training():
    assert make_split(15.0, 25.0, 0) == SplitSpec(0, 0.6, 0.15, 0.25)


@pytest.mark.parametrize("given", [(60.0, 60.0, 0), (50.0, 45.0, 0), (None, 25.0, 0), (15.0, 25.0, None)])
def test_a_split_without_training_rows_or_with_an_empty_field_is_refused(given):
    with pytest.raises(BadInput, match="Split"):
        make_split(*given)


def test_other_options_bring_the_sets_own_roles_unless_the_person_chose_others(app):
    spec = default_study("mnist_tint")
    ident = state.store().create_study(replace(spec, roles=replace(spec.roles, attributes_as_features=True)))
    at = app("data", study=ident)
    next(n for n in at.number_input if n.key.endswith(":option:strength")).set_value(0.9).run()
    assert not at.exception and not at.error
    roles = state.store().study(ident).spec.roles
    assert roles.attributes_as_features and roles.label == spec.roles.label
    assert state.store().study(ident).spec.data.options["strength"] == 0.9
