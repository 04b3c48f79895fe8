from __future__ import annotations

import pytest

from core.data.load import save_upload
from core.types import AttributeSpec, GroupSpec, Roles, StudySpec
from pages._ui import counted


@pytest.fixture
def spec(folder, csv):
    return StudySpec("Mine", save_upload(folder, "a.csv", csv), Roles("hired", "yes", ("sex",)),
                     GroupSpec((AttributeSpec("sex"),)))


def test_tables_are_counted_once(spec):
    assert counted.sizes(spec) is counted.sizes(spec)
    assert counted.guess(spec.data) is counted.guess(spec.data)


def test_every_table_speaks_of_the_same_rows(spec):
    sizes = counted.sizes(spec)
    assert sizes["n"].sum() == counted.class_groups(spec)["n"].sum() == 240
    assert (sizes["n"] == sizes["n_train"] + sizes["n_val"] + sizes["n_test"]).all()
    assert dict(counted.label_values(spec.data, "hired"))["yes"] == sizes.loc[sizes["class"] == "yes", "n"].sum()


def test_columns_come_in_the_tables_order_with_what_is_missing(spec):
    columns = counted.columns(spec.data).set_index("column")
    assert list(columns.index)[0] == "person" and columns.loc["sex", "missing"] > 0
    assert counted.missing(spec)["column"].tolist() == ["sex"]
    assert counted.leaks(spec.data, "hired") == {}
    assert counted.guess(spec.data).roles.label == "hired"
