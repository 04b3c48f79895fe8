from __future__ import annotations

from dataclasses import replace

import pytest

from core import registry
from core.data.load import check_options, default_study, load_dataset, load_table, load_task, save_upload
from core.types import AttributeSpec, BadInput, DataSpec, GroupSpec, Roles, StudySpec

CSV = ("sex,x,y\n" + "\n".join(f"{'wm'[k % 2]},{k % 7},{'no' if k % 3 else 'yes'}" for k in range(120))).encode()
ROLES = Roles("y", "yes", ("sex",))


def test_a_built_in_set_comes_with_roles_groups_and_a_task(tmp_path):
    task = load_task(default_study("penguins"), tmp_path)
    assert task.n_classes == 3 and task.n_attrs > 1 and len(task.splits.test) > 50


def test_an_upload_is_kept_byte_for_byte_and_found_again(tmp_path):
    data = save_upload(tmp_path, "../evil name.csv", CSV)
    assert data.name == "evil_name.csv"
    assert (tmp_path / "uploads" / data.digest / data.name).read_bytes() == CSV
    assert len(load_table(data, tmp_path).frame) == 120
    task = load_task(StudySpec("s", data, ROLES, GroupSpec((AttributeSpec("sex"),))), tmp_path)
    assert set(task.attr_labels) == {"w", "m"}


def test_a_changed_or_absent_upload_is_told(tmp_path):
    data = save_upload(tmp_path, "t.csv", CSV)
    (tmp_path / "uploads" / data.digest / "t.csv").write_bytes(CSV + b"w,1,no\n")
    with pytest.raises(BadInput, match="other contents"):
        load_table(data, tmp_path)
    with pytest.raises(BadInput, match="does not have"):
        load_table(replace(data, digest="0" * 64), tmp_path)
    with pytest.raises(BadInput, match="SHA-256"):
        load_table(replace(data, digest="../../etc"), tmp_path)


def test_uploading_again_mends_a_damaged_copy(tmp_path):
    data = save_upload(tmp_path, "t.csv", CSV)
    kept = tmp_path / "uploads" / data.digest / "t.csv"
    kept.write_bytes(b"cut off")
    assert save_upload(tmp_path, "t.csv", CSV) == data and kept.read_bytes() == CSV
    assert [f.name for f in kept.parent.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    "name", ["..", ".hidden.csv", "x" * 200 + ".csv", "a/b/../c.csv", "-rf.csv", "naïve é.csv", ""]
)
def test_any_file_name_becomes_a_safe_one(tmp_path, name):
    data = save_upload(tmp_path, name, CSV)
    assert data.name and data.name[0] not in ".-" and "/" not in data.name and len(data.name) <= 80
    assert len(load_table(data, tmp_path).frame) == 120


def test_paths_need_the_operators_permission(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_bytes(CSV)
    spec = DataSpec("path", "t.csv", path="t.csv")
    monkeypatch.delenv("COUNTERWEIGHT_DATA_ROOT", raising=False)
    with pytest.raises(BadInput, match="COUNTERWEIGHT_DATA_ROOT"):
        load_table(spec, tmp_path)
    monkeypatch.setenv("COUNTERWEIGHT_DATA_ROOT", str(tmp_path))
    assert len(load_table(spec, tmp_path).frame) == 120


def test_roles_that_were_not_confirmed_are_told(tmp_path):
    data = save_upload(tmp_path, "t.csv", CSV)
    with pytest.raises(BadInput, match="no label chosen"):
        load_dataset(StudySpec("s", data), tmp_path)


def test_unknown_sources_sets_and_options_are_refused(tmp_path):
    with pytest.raises(BadInput, match="Data source"):
        load_table(DataSpec("ftp", "x"), tmp_path)
    with pytest.raises(BadInput, match="one of"):
        default_study("iris")
    with pytest.raises(BadInput, match="'nope'"):
        check_options(registry.dataset("compas"), {"nope": 1})
