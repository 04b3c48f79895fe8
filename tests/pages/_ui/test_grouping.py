from __future__ import annotations

from core.data.load import default_study
from core.types import GroupSpec
from pages._ui import state


def test_only_attributes_of_the_study_can_be_compared(app):
    spec = default_study("adult")
    at = app("groups", study=state.store().create_study(spec))
    assert set(next(m for m in at.multiselect if ":by:" in m.key).options) == set(spec.roles.attributes)


def test_a_study_whose_groups_cannot_be_made_says_so_and_stays_editable(app):
    spec = default_study("adult")
    broken = GroupSpec(spec.groups.attributes, reference="nobody")
    ident = state.store().create_study(type(spec)("x", spec.data, spec.roles, broken, spec.split))
    at = app("groups", study=ident)
    assert not at.exception
    assert next(s for s in at.selectbox if ":reference" in s.key).value == ""
