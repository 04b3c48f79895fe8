from __future__ import annotations

import datetime as dt
import io
import zipfile
from decimal import Decimal

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.formats import read_excel, read_feather, read_json, read_parquet
from core.data.read import read_table
from core.types import BadInput

LIMITS = (1000, 50)


def parquet(table: pa.Table, **settings_) -> bytes:
    out = io.BytesIO()
    pa.parquet.write_table(table, out, **settings_)
    return out.getvalue()


def workbook(*rows, cells=()) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    for place, value in cells:
        book.active[place] = value
    book.save(out)
    return out.getvalue()


def test_decimals_dates_and_coded_columns_become_numbers_dates_and_words():
    frame, _ = read_parquet(parquet(pa.table({
        "money": pa.array([Decimal("1.5"), None]), "day": pa.array([dt.date(2020, 1, 1), dt.date(9999, 12, 31)]),
        "coded": pa.array(["a", "b"]).dictionary_encode(), "codes": pa.array([7, 8]).dictionary_encode(),
    })), *LIMITS)  # fmt: skip
    assert frame["money"].tolist()[0] == 1.5 and frame["day"].dt.year.tolist() == [2020, 9999]
    assert frame["coded"].tolist() == ["a", "b"] and frame["codes"].tolist() == [7, 8]


def test_whole_numbers_that_a_float_would_round_become_words():
    frame, _ = read_parquet(parquet(pa.table({"id": pa.array([2**53 + 1, 2**53, None])})), *LIMITS)
    assert frame["id"].tolist()[:2] == ["9007199254740993", "9007199254740992"]


@pytest.mark.parametrize("column", [pa.array([[1], [2]]), pa.array([b"a", b"b"]), pa.array([{"a": 1}, {"a": 2}])])
def test_nested_and_binary_columns_are_refused(column):
    with pytest.raises(BadInput, match="column 'c' of"):
        read_parquet(parquet(pa.table({"c": column})), *LIMITS)


def test_one_long_word_repeated_a_million_times_is_stopped_before_it_is_unfolded():
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), pa.array(["x" * 100_000]))
    with pytest.raises(BadInput, match="once unpacked"):
        read_parquet(parquet(pa.table({"a": codes})), 1_000_000, 50)


def test_rows_and_columns_are_counted_before_values_are_read():
    with pytest.raises(BadInput, match="more than 1,000 rows"):
        read_parquet(parquet(pa.table({"a": np.zeros(2000)})), *LIMITS)
    with pytest.raises(BadInput, match="60 columns"):
        read_parquet(parquet(pa.table({f"c{k}": [1] for k in range(60)})), *LIMITS)


def packed(kind: str) -> bytes:
    out = io.BytesIO()
    frame = pd.DataFrame({"a": range(50), "b": ["x", "y"] * 25, "c": [1.5, None] * 25,
                          "d": pd.Categorical(["u", "v"] * 25), "e": pd.date_range("2020", periods=50)})  # fmt: skip
    if kind == "parquet":
        frame.to_parquet(out)
    elif kind == "xlsx":
        frame.to_excel(out, index=False)
    else:
        frame.to_feather(out, compression=kind)
    return out.getvalue()


FILES = {kind: packed(kind) for kind in ("parquet", "xlsx", "uncompressed", "lz4")}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(FILES)), st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), min_size=1))
def test_a_damaged_file_is_a_table_or_one_sentence_and_never_a_crash(kind, changes):
    content = bytearray(FILES[kind])
    for place, value in changes:
        content[int(place * len(content))] = value
    try:
        read_table(bytes(content), "t")
    except BadInput as error:
        assert "\n" not in str(error)


def test_feather_of_any_compression_keeps_words_dates_and_gaps():
    for kind in ("uncompressed", "lz4"):
        frame, _ = read_feather(FILES[kind], *LIMITS)
        assert frame["d"].tolist()[:2] == ["u", "v"] and frame["c"].isna().sum() == 25 and frame["e"].dt.year[0] == 2020


def test_the_first_sheet_is_read_and_formulas_are_never_evaluated():
    frame, notes = read_excel(workbook(["a", "b"], [1, "=1+1"], [None, None], [2, "=CMD()"]), *LIMITS)
    assert frame["a"].tolist() == [1, 2] and frame["b"].isna().all()
    assert notes == ["2 cells hold a formula whose result was not saved and are missing: open the file in a "
                     "spreadsheet program and save it again to keep the results."]  # fmt: skip


def test_a_sheet_of_formulas_alone_is_refused_with_what_to_do():
    with pytest.raises(BadInput, match="2 formulas without saved results .*open it in a spreadsheet program"):
        read_excel(workbook(["a", "b"], ["=1+1", "=2"]), *LIMITS)


def test_saved_results_of_formulas_are_read_without_a_note():
    content = io.BytesIO(workbook(["a"], ["=1+1"]))
    out = io.BytesIO()
    with zipfile.ZipFile(content) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"<v></v>", b"<v>2</v>").replace(b"<v />", b"<v>2</v>"))
    frame, notes = read_excel(out.getvalue(), *LIMITS)
    assert frame["a"].tolist() == [2] and notes == []


def test_errors_of_formulas_are_missing_so_that_numbers_stay_numbers():
    rows = [[1.5, "x", 1], ["#DIV/0!", "#REF!", 2], ["#N/A", "y", 3], [2, "# 1", 4]]
    frame, notes = read_excel(workbook(["n", "w", "k"], *rows), *LIMITS)
    assert frame["n"].tolist()[::3] == [1.5, 2] and frame["n"].dtype == float and frame["k"].dtype == "int64"
    assert frame["w"].isna().tolist() == [False, True, False, False] and frame["w"][3] == "# 1"
    assert notes == ["3 cells hold errors of formulas (#DIV/0!, #N/A, #REF!) and are missing."]
    assert "1 cell holds an error of a formula (#NUM!) and is missing." in read_excel(
        workbook(["a"], [1], ["#NUM!"]), *LIMITS)[1]  # fmt: skip


def test_dates_and_padded_numbers_of_a_workbook():
    frame, _ = read_excel(workbook(["day", "zip"], [dt.date(2020, 1, 1), "01"], [dt.datetime(2021, 1, 1), "02"]),
                          *LIMITS)  # fmt: skip
    assert frame["day"].dt.year.tolist() == [2020, 2021] and frame["zip"].tolist() == ["01", "02"]


def test_a_cell_far_out_does_not_make_the_table_wide():
    with pytest.raises(BadInput, match="columns, allowed is at most 50"):
        read_excel(workbook(["a"], [1], cells=[("XFD9", "x")]), *LIMITS)


def test_a_workbook_that_unpacks_to_gigabytes_is_refused_unread(monkeypatch):
    monkeypatch.setattr("core.data.formats.MAX_BYTES", 1000)
    with pytest.raises(BadInput, match="once unpacked"):
        read_excel(workbook(["a"], [1]), *LIMITS)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}, "no workbook"),
        ({"[Content_Types].xml": "<x/>", "xl/workbook.bin": "x"}, "binary workbook"),
        ({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"}, "OpenDocument"),
    ],
)
def test_other_documents_are_named(files, told):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    with pytest.raises(BadInput, match=told):
        read_table(out.getvalue(), "t.xlsx")


def test_json_fields_may_be_left_out_and_long_numbers_are_exact():
    frame, _ = read_json(b'{"a": 9007199254740993}\n{"a": 9007199254740992, "b": "x"}', *LIMITS)
    assert frame["a"].tolist() == ["9007199254740993", "9007199254740992"]
    assert frame["b"].isna().tolist() == [True, False]


@pytest.mark.parametrize("text", ["[1, 2]", '{"a": [1]}', '[{"a": {"b": 1}}]'])
def test_json_that_is_no_table_is_told(text):
    with pytest.raises(BadInput):
        read_json(text.encode(), *LIMITS)


@pytest.mark.parametrize(
    ("text", "told"),
    [('{"a": 1}\n\n{"a": 1, "b": 2, "a": 3}', "'a' more than once in line 3"),
     ('[{"a": 1}, {"b": 1, "b": 2}]', "'b' more than once in object 2")],
)  # fmt: skip
def test_a_name_given_twice_in_one_object_is_refused_with_its_place(text, told):
    with pytest.raises(BadInput, match=told):
        read_json(text.encode(), *LIMITS)


def test_only_the_ends_of_lines_end_a_json_line():
    frame, _ = read_json('{"a": "x\u2028y\x85z"}\r\n{"a": "w"}\r\n'.encode(), *LIMITS)
    assert frame["a"].tolist() == ["x\u2028y\x85z", "w"]
