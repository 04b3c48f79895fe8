from __future__ import annotations

import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.read import digest, read_path, read_table
from core.types import BadInput

SMALL = "name,n,x\nAnn,1,0.5\nBob,2,?\n"


def frame_of(content: bytes | str, name: str = "table.csv") -> pd.DataFrame:
    return read_table(content.encode() if isinstance(content, str) else content, name).frame


def test_numbers_words_and_missing_marks_of_a_csv():
    frame = frame_of("name,n,x,flag,day\n Ann ,1,0.5,True,2024-01-02\nN/A,2,?,false,2024-02-03\n")
    assert frame["n"].dtype == "int64" and frame["x"].isna().tolist() == [False, True]
    assert frame["name"].tolist()[0] == "Ann" and frame["name"].isna().tolist() == [False, True]
    assert frame["flag"].tolist() == [True, False] and frame["day"].dt.month.tolist() == [1, 2]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_delimiter_and_encoding(mark, encoding):
    lines = [["città", "größe", "n"], *(["Zürich", "groß", str(k)] for k in range(30))]
    text = "\n".join(mark.join(line) for line in lines)
    frame = frame_of(text.encode(encoding), "t.txt")
    assert frame.columns.tolist() == ["città", "größe", "n"] and frame["città"].iloc[0] == "Zürich"
    assert frame["n"].tolist() == list(range(30))


def test_a_delimiter_inside_quotes_is_text():
    frame = frame_of('a;b\n"x;y";1\n"p, q";2\n')
    assert frame["a"].tolist() == ["x;y", "p, q"] and frame["b"].tolist() == [1, 2]


def test_numbers_with_leading_zeros_stay_words():
    assert frame_of("zip,n\n01234,1\n98765,2\n")["zip"].tolist() == ["01234", "98765"]


def test_html_and_formulas_survive_as_plain_text():
    frame = frame_of("<b>x</b>,y\n=1+1,<script>alert(1)</script>\n@SUM(A1),2\n")
    assert frame.columns[0] == "<b>x</b>" and frame.iloc[0].tolist() == ["=1+1", "<script>alert(1)</script>"]


def table():
    return pd.DataFrame({"n": [1, 2, 3], "x": [0.5, np.nan, 2.0], "w": ["a", None, "c"], "b": [True, False, True]})


def as_bytes(kind: str) -> bytes:
    out = io.BytesIO()
    if kind == "parquet":
        table().to_parquet(out)
    elif kind == "brotli":
        table().to_parquet(out, compression="brotli")
    elif kind == "feather":
        table().to_feather(out)
    elif kind == "xlsx":
        table().to_excel(out, index=False)
    elif kind == "jsonl":
        out.write(table().to_json(orient="records", lines=True).encode())
    else:
        out.write(table().to_json(orient="records").encode())
    return out.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "brotli", "feather", "xlsx", "jsonl", "json"])
def test_every_format_gives_the_same_table(kind):
    frame = frame_of(as_bytes(kind), f"t.{'parquet' if kind == 'brotli' else kind}")
    assert frame["n"].tolist() == [1, 2, 3] and frame["b"].tolist() == [True, False, True]
    assert frame["x"].isna().tolist() == [False, True, False] and frame["w"].isna().tolist() == [False, True, False]


def test_the_content_decides_not_the_name():
    assert len(frame_of(as_bytes("parquet"), "table.csv")) == 3


def test_packed_tables():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inner.csv", SMALL)
    for content, name in ((gzip.compress(SMALL.encode()), "t.csv.gz"), (packed.getvalue(), "t.zip")):
        assert frame_of(content, name)["n"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"  \n ", "empty"),
        (b"a,b\n", "no row"),
        (b"a,a\n1,2\n", "'a' more than once"),
        (b"a,,c\n1,2,3\n", "no name for column 2"),
        (b"a,b\n1,2\n1,2,3\n", "row 3"),
        (b"a,b\n?,NA\n,\n", "every value is missing"),
        (b"\x80\x04\x95pickle", "pickled object"),
        (b"<!doctype html><html></html>", "web page"),
        (b"<?xml version='1.0'?><a/>", "XML"),
        (b"%PDF-1.7 x", "PDF"),
        (b"SQLite format 3\x00 x", "database"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"0" * 99, "old Excel"),
        (b'{"a": {"b": 1}}', "nested"),
        (b"PAR1 broken", "cannot be read"),
        (b"PK\x03\x04 broken", "damaged"),
    ],
)
def test_bad_files_get_one_sentence(content, words):
    with pytest.raises(BadInput) as caught:
        read_table(content, "table.csv")
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["model.pkl", "data.joblib", "x.npz", "base.db"])
def test_files_that_are_no_tables_are_refused_by_name(name):
    with pytest.raises(BadInput, match="found a ."):
        read_table(b"a,b\n1,2\n", name)


def test_too_many_rows_or_columns_are_refused():
    with pytest.raises(BadInput, match="more than 2 rows"):
        read_table(b"a\n1\n2\n3\n", "t.csv", max_rows=2)
    with pytest.raises(BadInput, match="3 columns"):
        read_table(b"a,b,c\n1,2,3\n", "t.csv", max_columns=2)


def test_paths_stay_below_the_operators_folder(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "t.csv").write_text(SMALL)
    (tmp_path / "secret.csv").write_text(SMALL)
    (root / "link.csv").symlink_to(tmp_path / "secret.csv")
    assert len(read_path("t.csv", root).frame) == 2
    for path in ("../secret.csv", str(tmp_path / "secret.csv"), "link.csv"):
        with pytest.raises(BadInput, match="below"):
            read_path(path, root)
    with pytest.raises(BadInput, match="not a file"):
        read_path("none.csv", root)
    for path in ("a\x00b", "x" * 5000):
        with pytest.raises(BadInput, match="spelling"):
            read_path(path, root)


def test_a_file_name_cannot_break_the_sentence():
    with pytest.raises(BadInput) as caught:
        read_table(b"PAR1 broken", "a\nb.parquet")
    assert "\n" not in str(caught.value)


def test_the_digest_is_sha256():
    assert digest(b"abc").startswith("ba7816bf") and len(digest(b"")) == 64


CELLS = st.text(st.characters(whitelist_categories=("Lu", "Ll"), max_codepoint=0x17F), min_size=1, max_size=8)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(CELLS, st.integers(-(10**9), 10**9)), min_size=5, max_size=30), st.sampled_from(",;\t|"),
       st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))  # fmt: skip
def test_tables_survive_the_way_through_csv(rows, mark, encoding):
    expected = pd.DataFrame([(f"w{w}", n) for w, n in rows], columns=["word", "number"])
    frame = frame_of(expected.to_csv(index=False, sep=mark).encode(encoding))
    assert frame["word"].tolist() == expected["word"].tolist()
    assert frame["number"].tolist() == expected["number"].tolist()


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["a.csv", "a.parquet", "a.xlsx", "a.json", "a.gz", "a.zip", "a"]))
def test_any_bytes_give_a_table_or_one_sentence(content, name):
    try:
        result = read_table(content, name)
    except BadInput as error:
        assert "\n" not in str(error)
    else:
        assert len(result.frame) > 0


def test_json_lines_may_leave_fields_out():
    lines = "\n".join(json.dumps(r) for r in ({"a": 1}, {"a": 2, "b": "x"}))
    frame = frame_of(lines, "t.jsonl")
    assert frame["b"].isna().tolist() == [True, False]


def test_infinite_cells_are_missing_and_counted():
    result = read_table(b"x,y,z,w\ninf,1,1,inf\n-inf,1e400,2,b\n3,4,3,c\n", "t.csv")
    assert result.frame["x"].isna().tolist() == [True, True, False] and result.frame["w"][0] == "inf"
    assert result.notes == ("Infinite cells (inf, or a number too large such as 1e400) count as missing: "
                            "2 in x, 1 in y.",)  # fmt: skip
    many = read_table(("a,b,c,d,e,f,g,h,i,j\n" + "inf," * 9 + "inf\n" + "1," * 9 + "1\n").encode(), "t.csv")
    assert many.notes[0].endswith("1 in h and 2 more columns.")
    assert "2 in x" in read_table(b'{"x": Infinity}\n{"x": 1e400}\n{"x": 1}', "t.jsonl").notes[0]


def test_a_named_encoding_is_taken_without_a_guess():
    content = "jméno,n\nDvořák,1\n".encode("cp1250")
    result = read_table(content, "t.csv", encoding="cp1250")
    assert result.frame["jméno"].tolist() == ["Dvořák"] and result.notes == ()
    assert read_table('{"a": "Омск"}'.encode("utf-16"), "t.jsonl", encoding="utf-16").frame["a"].tolist() == ["Омск"]
    assert len(read_table(as_bytes("parquet"), "t.parquet", encoding="cp1251").frame) == 3


@pytest.mark.parametrize(
    ("encoding", "told"), [("klingon", "'klingon'"), ("ascii", "not ascii"), ("hex", "'hex'"), ("a\0", "a")]
)
def test_a_named_encoding_that_is_none_or_does_not_fit_is_told(encoding, told):
    with pytest.raises(BadInput, match=f"Encoding: .*{told}.*have it guessed"):
        read_table("größe,n\n1,2\n".encode(), "t.csv", encoding=encoding)
