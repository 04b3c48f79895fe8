from __future__ import annotations

import hashlib

import pandas as pd
import pytest

from core.data.sets._files import FOLDER, in_words, read_csv, settings, yes_no
from core.types import BadInput, Param

SUMS = {name: digest for digest, name in (line.split() for line in (FOLDER / "SHA256SUMS").read_text().splitlines())}
DATA_FILES = sorted(p.name for p in FOLDER.iterdir() if p.suffix in (".gz", ".parquet", ".npz"))


def test_every_data_file_has_a_checksum_and_a_licence():
    assert sorted(SUMS) == DATA_FILES
    licences = (FOLDER / "LICENSES.md").read_text("utf-8")
    assert [name for name in DATA_FILES if f"`{name}`" not in licences] == []


@pytest.mark.parametrize("name", DATA_FILES)
def test_data_files_are_the_ones_that_were_checked(name):
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == SUMS[name]


def test_the_words_none_and_na_are_not_missing(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("a,b\nnone,1\nNA,\n?,3\n")
    monkeypatch.setattr("core.data.sets._files.FOLDER", tmp_path)
    assert read_csv("t.csv")["a"].tolist() == ["none", "NA", "?"]
    frame = read_csv("t.csv", missing=("?",))
    assert frame["a"].isna().tolist() == [False, False, True] and frame["b"].isna().tolist() == [False, True, False]


def test_options_get_defaults_and_are_checked():
    params = (Param("fix", True), Param("rows", 10, low=5, high=20))
    assert settings(params, {}) == {"fix": True, "rows": 10}
    assert settings(params, {"rows": 20}) == {"fix": True, "rows": 20}
    for wrong in ({"rows": 21}, {"fix": "yes"}, {"other": 1}):
        with pytest.raises(BadInput):
            settings(params, wrong)


def test_codes_become_words_missing_stays_and_an_unknown_code_is_refused():
    column = pd.Series(["m", None, "f"], dtype="str", name="sex")
    words = in_words(column, {"m": "men", "f": "women"})
    assert words.tolist()[::2] == ["men", "women"] and words.isna().tolist() == [False, True, False]
    with pytest.raises(BadInput, match="the values f"):
        in_words(column, {"m": "men"})


def test_yes_and_no_come_as_words_or_numbers():
    assert yes_no(pd.Series(["yes", "no"], dtype="str"), "denied", "granted").tolist() == ["denied", "granted"]
    assert yes_no(pd.Series([0, 1]), "denied", "granted").tolist() == ["granted", "denied"]
