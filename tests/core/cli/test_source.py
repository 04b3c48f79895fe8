from __future__ import annotations

from dataclasses import replace

import pytest

from core.cli.source import bring_table, read_study_file, seen_from, settle_groups
from core.data.load import load_table, save_upload
from core.study import parse_study
from core.types import BadInput, DataSpec

SPEC = parse_study({"data": "people.csv", "roles": {"label": "hired", "positive": "yes", "attrs": ["age"]},
                    "methods": ["erm"]})


def test_a_path_is_taken_relative_to_the_study_file(folder, home, people):
    brought = bring_table(SPEC, folder, home)
    assert brought.data.source == "upload" and len(load_table(brought.data, home).frame) == len(people)
    (folder / "people.csv").unlink()
    assert len(load_table(brought.data, home).frame) == len(people)


@pytest.mark.parametrize("path", ["nothing.csv", ".", "../" * 30 + "etc/no"])
def test_a_table_that_is_not_there_is_named(folder, home, path):
    with pytest.raises(BadInput, match=r"^data\.path: found "):
        bring_table(replace(SPEC, data=DataSpec("path", "x", path=path)), folder, home)


def test_an_upload_of_the_app_is_found_beside_the_file_or_in_the_apps_folder(folder, home, tmp_path, monkeypatch):
    content = (folder / "people.csv").read_bytes()
    app = tmp_path / "app"
    data = save_upload(app, "people.csv", content)
    spec = replace(SPEC, data=data)
    assert bring_table(spec, folder, home) == spec
    assert (home / "uploads" / data.digest / "people.csv").read_bytes() == content
    (folder / "people.csv").write_bytes(b"other")
    fresh = tmp_path / "fresh"
    with pytest.raises(BadInput, match="put it beside the study file as people.csv"):
        bring_table(spec, folder, fresh)
    monkeypatch.setenv("COUNTERWEIGHT_HOME", str(app))
    assert bring_table(spec, folder, fresh) == spec and any((fresh / "uploads").iterdir())


def test_groups_left_out_are_cut_as_the_app_suggests(folder, home):
    spec = bring_table(SPEC, folder, home)
    assert settle_groups(spec, {"roles": {}}, home).groups.attributes[0].edges == (40.0,)
    assert settle_groups(spec, {"roles": {}, "groups": {}}, home) == spec
    assert settle_groups(spec, {}, home) == spec
    with pytest.raises(BadInput, match="^roles: "):
        settle_groups(replace(spec, roles=None), {}, home)


def test_a_study_without_training_is_refused(folder):
    (folder / "s.json").write_text('{"data": "adult"}')
    with pytest.raises(BadInput, match="^trainings: "):
        read_study_file(folder / "s.json")
    for missing in (folder / "no.json", folder):
        with pytest.raises(BadInput, match="^Study file: "):
            read_study_file(missing)


def test_the_results_study_file_finds_the_table_too(tmp_path):
    data = DataSpec("path", "t.csv", path="tables/t.csv")
    assert seen_from(tmp_path / "out", data, tmp_path / "s.json").path == "../tables/t.csv"
    absolute = DataSpec("path", "t.csv", path="/data/t.csv")
    assert seen_from(tmp_path / "out", absolute, tmp_path / "s.json").path == "/data/t.csv"
    assert seen_from(tmp_path, DataSpec("builtin", "adult"), tmp_path / "s.json") == DataSpec("builtin", "adult")
