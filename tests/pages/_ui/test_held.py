from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from core.data.load import default_study, load_dataset, load_task, save_upload
from core.types import AttributeSpec, BadInput, DataSpec, GroupSpec, Roles, StudySpec
from pages._ui import held


@pytest.fixture
def spec(folder, csv):
    return StudySpec("Mine", save_upload(folder, "a.csv", csv), Roles("hired", "yes", ("sex",)),
                     GroupSpec((AttributeSpec("sex"),)))


def test_equal_parts_have_equal_digests_whatever_kind_of_mapping_holds_them():
    first = DataSpec("builtin", "x", {"a": 1, "b": 2})
    second = DataSpec("builtin", "x", MappingProxyType({"b": 2, "a": 1}))
    assert held.digest(first) == held.digest(second)
    assert held.digest(first) != held.digest(DataSpec("builtin", "x", {"a": 1, "b": 3}))
    assert held.digest(Roles("y")) != held.digest(Roles("y", "yes")) != held.digest(None)


def test_what_the_pages_show_is_what_the_engine_trains_on(spec, folder):
    assert held.dataset(spec).fingerprint == load_dataset(spec, folder).fingerprint
    assert held.task(spec).fingerprint == load_task(spec, folder).fingerprint
    built_in = default_study("penguins")
    assert held.task(built_in).fingerprint == load_task(built_in, folder).fingerprint


def test_data_is_read_once_and_shared(spec):
    assert held.table(spec.data) is held.table(spec.data)
    assert held.dataset(spec) is held.dataset(replace(spec, name="another name"))
    assert held.groups(spec) is not held.groups(replace(spec, groups=GroupSpec()))
    assert sum(map(len, held.splits(spec))) == len(held.dataset(spec).y)


def test_other_roles_give_another_dataset(spec):
    flipped = held.dataset(replace(spec, roles=replace(spec.roles, positive="no")))
    assert np.array_equal(flipped.y, 1 - held.dataset(spec).y)


def test_what_cannot_be_made_is_refused_and_not_remembered(spec):
    wrong = replace(spec, roles=Roles("no such column", "yes"))
    for _ in range(2):
        with pytest.raises(BadInput, match="no such column"):
            held.dataset(wrong)
    with pytest.raises(BadInput, match="no label chosen"):
        held.dataset(replace(spec, roles=None))
