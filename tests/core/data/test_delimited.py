from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.delimited import decode, find_delimiter, read_delimited
from core.types import BadInput


def frame_of(text: str | bytes):
    return read_delimited(text if isinstance(text, bytes) else text.encode(), 1000, 50)[0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_and_blank_lines_anywhere(end):
    text = end.join(["", "", "a,b", "1,2", "", "   ", "3,4", "", ""])
    assert frame_of(text)["b"].tolist() == [2, 4]


def test_the_line_in_which_excel_names_the_delimiter_is_followed():
    assert frame_of("sep=;\r\na;b\r\n1;2,5\r\n").iloc[0].tolist() == [1, 2.5]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\n1\n3,4\n", "1 cell in row 2"),
        ("a,b,c\n1,2,3\n1,2\n", "2 cells in row 3"),
        ("a,b\n1,2,3\n", "3 cells in row 2"),
        ("a\n1,2\n", "1 cell in every row"),
        ('a,b\n1,2\n"3,4\n5,6\n', "quotation mark"),
        ('a,b\n1,2\n"' + "x" * (33 << 20), "quotation mark"),
    ],
)
def test_rows_of_unequal_length_are_refused_not_filled(text, told):
    with pytest.raises(BadInput) as caught:
        frame_of(text)
    assert told in str(caught.value) and "\n" not in str(caught.value)


def test_blanks_before_a_quotation_mark_do_not_hide_it():
    frame = frame_of('a, b, c\n1, "x, y", ""\n2, "he said ""no, ""so""", z\n')
    assert frame["b"].tolist() == ["x, y", 'he said "no, "so"'] and frame["c"].isna().tolist() == [True, False]


def test_quotation_marks_inside_a_word_are_plain():
    assert frame_of('a,b\n5" pipe,1\n')["a"].tolist() == ['5" pipe']


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32"])
def test_wide_encodings_are_read_with_or_without_a_mark(encoding):
    assert frame_of("name,n\nMüller,1\nWeiß,2\n".encode(encoding))["n"].tolist() == [1, 2]


def test_an_encoding_that_was_guessed_is_told():
    text, notes = decode("città,größe\n".encode("cp1252"))
    assert text == "città,größe\n" and "cp1252" in notes[0]


@pytest.mark.parametrize(
    ("line", "encoding"),
    [
        ("Příliš žluťoučký kůň úpěl ďábelské ódy", "cp1250"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy", "iso8859_2"),
        ("Съешь же ещё этих мягких французских булок", "cp1251"),
        ("Съешь же ещё этих мягких французских булок", "koi8_r"),
        ("İstanbul'da güneşli bir gün, çocuklar şarkı söylüyor", "cp1254"),
        ("Le château était fermé à l’été, où ça", "cp1252"),
        ("東京都の人口は多いです、日本", "shift_jis"),
        ("王小明;北京", "gb18030"),
        ("Müller wohnt in Köln, größer als Düren", "latin_1"),
    ],
)
def test_usual_encodings_are_recognised_by_their_words(line, encoding):
    text = f"{line}\n" * 20
    assert decode(text.encode(encoding))[0] == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("город;n\nМосква;1\nКазань;2\n", "cp1251"),
        ("город;n\nМосква;1\nКазань;2\n", "koi8_r"),
        ("город;n\nМосква;1\nКазань;2\n", "cp866"),
        ("город;n\nМосква;1\nКазань;2\n", "iso8859_5"),
        ("пол,y\nм,1\nж,0\n", "cp1251"),
        ("name,city\nIvan,Омск\n", "cp1251"),
        ("місто;n\nКиїв;1\n", "cp1251"),
        ("πόλη;n\nΑθήνα;1\nΠάτρα;2\n", "cp1253"),
        ("שם,גיל\nדוד,3\n", "cp1255"),
        ("الاسم,العمر\nمحمد,3\n", "cp1256"),
        ("เมือง,n\nกรุงเทพ,1\n", "cp874"),
        ("miasto;n\nŁódź;1\nPaweł;3\n", "cp1250"),
        ("żółw;n\nMałgorzata;1\n", "iso8859_2"),
        ("şehir;n\nİstanbul;1\nEskişehir;2\n", "cp1254"),
        ("größe;n\nMüller;1\nKöln;2\n", "cp850"),
        ("année;n\nété;1\n", "mac_roman"),
        ("l’été,Ørsted,Ñuñoa,¿Qué?,m²,prix €\n1,2,3,4,5,6\n", "cp1252"),
        ("ÄÖÜ,GRÖSSE\n1,2\n", "cp1252"),
    ],
)
def test_a_few_words_are_enough_to_tell_usual_encodings(text, encoding):
    assert decode(text.encode(encoding))[0] == text


def test_where_few_words_leave_it_open_the_note_shows_how_others_would_read():
    text, notes = decode("jméno;n\nDvořák;1\n".encode("cp1250"))
    assert text == "jméno;n\nDvoøák;1\n"
    assert notes == ["The file was read as cp1252, its most likely encoding: it has Dvoøák, which would be Dvořák as "
                     "cp1250; if another is right, save the file as UTF-8."]  # fmt: skip
    assert "would be 王小明 as gb18030" in decode("姓名;王小明\n1;2".encode("gb18030"))[1][0]


def test_many_words_leave_nothing_open():
    assert decode(("Dvořák žil v Čechách\n" * 50).encode("cp1250"))[1][0].endswith("its most likely encoding.")
    assert "as cp1252, its most likely encoding." in decode(("Müller wohnt in Köln\n" * 500).encode("latin_1"))[1][0]


def test_words_that_begin_late_are_looked_at():
    text = "a,b\n" * 100_000 + "Москва,x\n" * 9
    assert decode(text.encode("cp1251"))[0] == text


def test_bytes_with_zeros_are_no_text():
    with pytest.raises(BadInput, match="no text"):
        decode(bytes(range(256)) * 10)


def test_decimal_commas_are_not_delimiters():
    frame = frame_of("a;b;t\n1,5;1.234,50;x,y\n2,25;3,00;z\n")
    assert frame["a"].tolist() == [1.5, 2.25] and frame["b"].tolist() == [1234.5, 3] and frame["t"][0] == "x,y"
    assert frame_of("a;b\n1,234;1\n5,678;2\n")["a"].tolist() == ["1,234", "5,678"]


def test_the_delimiter_is_the_one_that_cuts_evenly():
    assert find_delimiter("a|b\nx, y|1\nz|2\n") == "|" and find_delimiter("only\none\n") == ","


@pytest.mark.parametrize("mark", [",", ";", "\t", "|", "~", "^"])
def test_every_delimiter_that_is_named_is_followed(mark):
    assert frame_of(f"a{mark}b\nx{mark}1\ny z{mark}2\n").to_dict("list") == {"a": ["x", "y z"], "b": [1, 2]}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("user::item::rating\n1::10::5\n2::20::3\n", "'::'"),
        ("a||b\n1||2\n3||4\n", "'||'"),
        ("a:b\n1:2\n3:4\n", "':'"),
        ("a/b/c\n1/2/3\n", "'/'"),
        ("a\x01b\n1\x012\n", "x01"),
        ("age sex y\n41 f 1\n35 m 0\n", "blanks"),
        ("age   sex\n  41   f\n 5   m\n", "blanks"),
    ],
)
def test_columns_parted_by_other_marks_are_refused_with_the_known_ones(text, told):
    with pytest.raises(BadInput) as caught:
        frame_of(text)
    assert told in str(caught.value) and "comma, semicolon, tab, |, ~ or ^ between columns" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["full name\nAnn Smith\nBob Jones\n", "text\na good day\nwell\n", "time\n10:20\n11:30\n", "sep=:\na:b\n1:2\n",
     "n\n1\n2\n", "a:b\n1\n2\n", "day\n1/2/2024\n2/2/2024\n"],
)  # fmt: skip
def test_one_column_of_words_or_times_is_one_column(text):
    assert frame_of(text).shape[1] == (2 if text.startswith("sep") else 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x" * (5 << 20), "a first line of more than 4,194,304 characters"),
        ("x" * 200_000 + ",b\n1,2\n", "a name of more than 131,072 characters"),
        ('"a,b\n' + "1,2\n" * 50_000, "a quotation mark without its partner"),
        ('"a,b\n' + "1,2\n" * 100, "a quotation mark without its partner"),
        (",".join(f"c{k}" for k in range(60)) + "\n1\n", "60 columns"),
        ("x" * 300 + ",b\n1,2\n", "a name of 300 characters"),
    ],
)
def test_a_huge_first_line_is_told_as_what_it_is(text, told):
    with pytest.raises(BadInput, match="Column names|File") as caught:
        frame_of(text)
    assert told in str(caught.value)


CELLS = st.text(st.sampled_from("abéß \",;|\t\n'1.-=<>"), max_size=8).map(lambda t: f"x{t}z")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=3, max_size=12), st.sampled_from(",;\t|~^"),
       st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]), st.sampled_from(["\n", "\r\n"]),
       st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))  # fmt: skip
def test_cells_with_marks_quotes_and_line_ends_survive(rows, mark, encoding, end, quoting):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=mark, lineterminator=end, quoting=quoting)
    writer.writerow(["one", "two", "three"])
    writer.writerows(rows)
    assert frame_of(out.getvalue().encode(encoding)).to_numpy().tolist() == [list(r) for r in rows]
