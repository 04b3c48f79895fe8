"""CSV and its kin: the encoding, the delimiter and strict rows. Every cell stays the text it is until it is typed."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
from charset_normalizer import from_bytes

from core.data.columns import MAX_NAME, MISSING_MARKS, check_names, check_size, type_words
from core.types import BadInput

DELIMITERS = (",", ";", "\t", "|", "~", "^")
OTHER_MARKS = ("::", "||", "##", "\x01", "\x1f", ":", "/", "¦", "§", "#", "!", "$")  # told, not followed
TOLD = "comma, semicolon, tab, |, ~ or ^ between columns"
KINDS = "CSV, TSV, Parquet, Feather, Excel (.xlsx) or JSON lines"
MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"),
         (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))  # fmt: skip
EASTERN = ("Polish", "Czech", "Slovak", "Hungarian", "Romanian", "Croatian", "Slovene", "Bosnian")
WIDE = ("utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be")
OTHER_SCRIPTS = ("cp1251", "cp1253", "cp1255", "cp1256", "koi8_r", "koi8_u", "iso8859_5", "iso8859_6", "iso8859_7",
                 "iso8859_8", "mac_cyrillic", "mac_greek", "cp874", "tis_620", "cp932", "shift_jis", "euc_jp",
                 "gb18030", "gbk", "gb2312", "big5", "cp950", "cp949", "euc_kr")  # fmt: skip
ALPHABETS = {  # letters of a script, commonest first, and the encodings that hold them
    "оеаинтсрвлкмдпуяыьгзбчйхіжшюцщэїєфъёјђљњћџўґ": ("cp1251", "koi8_r", "koi8_u", "cp866", "iso8859_5",
                                                       "mac_cyrillic"),
    "αοιετνσηρκπμυλςάίόωέδγήχύθφώβξζψϊϋΐΰ": ("cp1253", "iso8859_7"),
    "יוהלאתרבמשנםדחעקפכטגןזסצךףץ": ("cp1255",),
    "านรกอเ่้งมยลวดทัสิีต์ปบะคุหแจำพช็ูขใไโถผซืธศึณษภฉฟฎญฐ": ("cp874",),
    "اليمنرتبودعسهفقكحةجشطصأىخإذغضئءزثظآؤپچژگ": ("cp1256", "iso8859_6"),
}  # fmt: skip
LATIN = ("cp1252", "cp1254", "cp1250", "iso8859_2", "cp850", "mac_roman")
LATIN_LETTERS = set("äöüßéèêëàâçñáíóúôîïûùåæøãõìòœýÿąćęłńśźżčďěňřšťůžľĺŕőűăâđşţğıi")
BEFORE, AFTER = "«»„“”‚‘’…–—·•€§©®¿¡ªº\xa0", "«»“”‘’…–—·•€%°©®ªº²³\xa0"  # what may stand beside a word
USUAL = {"cp1251": 0.3, "cp1253": 0.3, "mac_cyrillic": -0.5}  # added to their fit
STRANGE, LIKELY, FEW = -8.0, -3.8, 60
SNIFFED, LINES, HEADER, BLOCK = 65_536, 50, 4 << 20, 16 << 20


def decode(content: bytes) -> tuple[str, list[str]]:
    """(text, notes): by byte order mark, else UTF-8, else the most likely encoding, which the note names."""
    text, notes = _decode(content)
    if "\x00" in text or text[:4096].count("\ufffd") > 40:
        raise BadInput("File", "bytes that are no text", KINDS, "choose another file")
    return text, notes


def recode(content: bytes, encoding: str) -> bytes:
    """Text of a named encoding as UTF-8, or BadInput where there is no such encoding or the bytes are not of it."""
    try:
        return content.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeError:
        raise BadInput("Encoding", f"bytes that are not {encoding[:40]}", "the encoding the file was saved in",
                       "choose another, or leave it out to have it guessed") from None  # fmt: skip
    except (LookupError, ValueError):
        raise BadInput("Encoding", repr(encoding[:40]), "a name such as utf-8, cp1251 or shift_jis",
                       "leave it out to have it guessed") from None  # fmt: skip


def _decode(content: bytes) -> tuple[str, list[str]]:
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return content.decode(encoding), []
    try:
        text = content.decode("utf-8")
        if "\x00" not in text:
            return text, []
    except UnicodeDecodeError:
        pass
    encoding, *others = guess_encodings(content)
    text = content.decode(encoding, errors="replace")
    told = f"The file was read as {encoding.replace('_', '-')}, its most likely encoding"
    return text, [f"{told}{_compared(content, encoding, others)}."]


def _compared(content: bytes, encoding: str, others: list[str]) -> str:
    """How a word reads in it and in the others; empty without others."""
    if not others:
        return ""
    lines = [line for line in re.split(rb"[\r\n]+", _telling(content)) if not line.isascii()][:200]
    read = [re.split(r"[\s,;|\"]+", b"\n".join(lines).decode(name, errors="replace")) for name in (encoding, *others)]
    seen = max(zip(*read, strict=False), key=lambda words: (len(set(words)), 3 <= len(words[0]) <= 20))
    told = " or ".join(f"{word[:20]} as {name.replace('_', '-')}" for word, name in zip(seen[1:], others, strict=True))
    return f": it has {seen[0][:20]}, which would be {told}; if another is right, save the file as UTF-8"


def guess_encodings(content: bytes) -> list[str]:
    """The most likely encoding of bytes that are not UTF-8, then others that few words leave open.

    An alphabet of another script is believed where the words are made of its letters alone, upper and lower case where
    they belong, and of its common letters rather than its rare ones. What is left is asked of charset-normalizer.
    Single-byte Latin encodings differ in few letters and are hard to tell apart, so they are read as cp1252 unless the
    words look Central European or Turkish or have signs amid their letters that another encoding reads as letters.
    """
    head = _telling(content)
    words = _foreign_words(head)[:3000]
    fits = {name: _fit(words, name, order) for order, names in ALPHABETS.items() for name in names}
    best = max(fits, key=lambda name: fits[name])
    if fits[best] > LIKELY and sum(map(len, words)) >= 4:
        return [best, *_open(words, best, [name for name, fit in fits.items() if fit > fits[best] - 0.5])]
    strange = {name: _strange(words, name) for name in LATIN}
    high = len(re.findall(rb"[\x80-\xff]", b"".join(words)))
    other, *asian = _normalized(head, min(strange.values()) > 0.2 * high)
    if other not in LATIN:
        return [other, *asian[:2]]
    if other == "cp1252" and strange[other] > 0.3 * high:
        other = min(LATIN, key=lambda name: strange[name])
    text = b" ".join(words)
    if text.decode(other, errors="replace") == text.decode("cp1252", errors="replace"):
        other = "cp1252"
    likely = [name for name in LATIN if strange[name] <= strange[other]]
    return [other, *_open(words, other, [*(asian if strange[other] else []), *likely])]


def _telling(content: bytes) -> bytes:
    """The part of the bytes that is looked at: the first one with bytes above 127."""
    first = re.search(rb"[\x80-\xff]", content)
    start = max(first.start() - 1000, 0) if first and first.start() > 150_000 else 0
    return content[start : start + 200_000]


def _foreign_words(content: bytes) -> list[bytes]:
    """Runs of ASCII letters and bytes above 127, those with such a byte."""
    return [word for word in re.findall(rb"[A-Za-z\x80-\xff]+", content) if not word.isascii()]


def _open(words: list[bytes], chosen: str, likely: list[str]) -> list[str]:
    """Up to two of the likely encodings that read a few words in another way than the chosen one; none for many."""
    if sum(map(len, words)) > FEW:
        return []
    text = b" ".join(words)
    read = {name: text.decode(name, errors="replace") for name in (chosen, *likely)}
    different = {other: name for name, other in reversed(read.items()) if other != read[chosen]}
    return [name for name in likely if name in different.values()][:2]


def _fit(words: list[bytes], encoding: str, order: str) -> float:
    """Mean log-probability of the words' letters, which falls with the rank of a letter; STRANGE for all else."""
    rank = {letter: k for k, letter in enumerate(order)}
    p = 1 / (np.arange(len(order)) + 4.0)
    log_p = np.log(p / p.sum())
    total, n = 0.0, 0
    for word in b" ".join(words).decode(encoding, errors="replace").split():
        word = word.lstrip(BEFORE).rstrip(AFTER)
        low = word.lower()
        fine = word in (low, word.upper(), low.capitalize()) and all(letter in rank for letter in low)
        fine = fine and not re.search("[ςםןךףץ].|^[ьъыة]|ة.", low)
        shouted = 0.2 if word != low and word == word.upper() else 0.0
        total += sum(log_p[rank[letter]] - shouted for letter in low) if fine else STRANGE * len(word)
        n += len(word)
    return total / n + USUAL.get(encoding, 0.0) if n else STRANGE


def _strange(words: list[bytes], encoding: str) -> float:
    """How many characters do not belong into Latin words: signs amid letters, capitals after small letters, and letters
    of few languages, which count half."""
    count = 0.0
    for word in b" ".join(words).decode(encoding, errors="replace").split():
        inner = word.lstrip(BEFORE).rstrip(AFTER)
        signs = sum(not (c.isalpha() or c in "’·") for c in inner)
        capitals = 0 if inner.isupper() else sum(c.isupper() and not c.isascii() for c in inner[1:])
        rare = sum(not c.isascii() and c.isalpha() and c.lower()[0] not in LATIN_LETTERS for c in inner)
        count += signs + capitals + 0.5 * rare
    return count


def _normalized(head: bytes, foreign: bool) -> list[str]:
    """What charset-normalizer says, likeliest first, where it can be believed; cp1252 where not.

    An encoding of another script is believed where no Latin one makes words (`foreign`), or where most bytes above 127
    come in runs, as they do not in Latin words.
    """
    found = from_bytes(head)
    best = found.best()
    if best is None:
        return ["cp1252"]
    if best.encoding in OTHER_SCRIPTS:
        runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", head)]
        if sum(n for n in runs if n > 1) > max(0.6 * sum(runs), 11):
            return [best.encoding]
        return [*([] if foreign else ["cp1252"]), *(m.encoding for m in found if m.encoding in OTHER_SCRIPTS)]
    if best.encoding in WIDE:
        return [best.encoding]
    if best.language in EASTERN:
        return ["cp1250" if re.search(rb"[\x80-\x9f]", head) else "iso8859_2"]
    return ["cp1254" if best.language == "Turkish" else "cp1252"]


def find_delimiter(text: str) -> str:
    """The delimiter that cuts the first lines most evenly into most columns; a comma where none does."""
    lines = _first_lines(text)
    best, chosen = (0.0, 1), ","
    for mark in DELIMITERS:
        widths = [len(row) for row in csv.reader(lines, delimiter=mark)]
        if not widths:
            continue
        width, times = Counter(widths).most_common(1)[0]
        if width > 1 and (times / len(widths), width) > best:
            best, chosen = (times / len(widths), width), mark
    return chosen


def read_delimited(content: bytes, max_rows: int, max_columns: int) -> tuple[pd.DataFrame, list[str]]:
    """The table and notes on how it was read. Rows of unequal length are refused, not filled."""
    text, notes = decode(content)
    text = re.sub(r"\A(?: *[\r\n]+)+", "", text)
    told = re.match(r"(?i)sep=(.)\r?\n", text)  # how Excel names the delimiter
    mark, text = (told[1], text[told.end() :]) if told else (find_delimiter(text), text)
    names = check_names(_header(text, mark, told is not None), max_columns)
    frame = _cells(text, mark, len(names), max_rows, max_columns)
    if mark != ",":
        frame, commas = decimal_commas(frame)
        notes += [f"Commas were read as decimal points in {', '.join(names[k] for k in commas)}."] if commas else []
    typed = pd.DataFrame({k: type_words(frame[k]) for k in range(len(names))})
    return typed.set_axis(pd.Index(names, dtype=object), axis=1), notes


def _header(text: str, mark: str, told: bool) -> list[str]:
    """The names in the first line, or BadInput where it is endless or parted by a mark that is not followed."""
    field = "Column names"
    if len(text) > HEADER and not re.search(r"[\r\n]", text[:HEADER]):
        raise BadInput(field, f"a first line of more than {HEADER:,} characters", "a line of column names",
                       "check the ends of lines or save the table again")  # fmt: skip
    try:
        names = next(csv.reader(io.StringIO(text[:HEADER], newline=""), delimiter=mark), [])
        if any(len(name) > MAX_NAME and "\n" in name for name in names):
            raise csv.Error
    except csv.Error:
        found = f"a name of more than {csv.field_size_limit():,} characters or a quotation mark without its partner"
        raise BadInput(field, found, "short names in the first line", "repair the first line") from None
    other = "" if told else _other_mark(text, names, mark)
    if other:
        raise BadInput("File", f"columns that {other} seem to part", TOLD, "save the table as CSV with commas")
    return names


def _other_mark(text: str, names: list[str], mark: str) -> str:
    """The mark or the blanks that cut the first lines evenly where the delimiter does not, in words; "" where none."""
    lines = _first_lines(text)
    if mark == "|" and lines and "||" in lines[0] and not any(name.strip() for name in names[1::2]):
        return "'||'"
    if len(names) != 1 or len(lines) < 2:
        return ""
    for other in OTHER_MARKS:
        if len({line.count(other) for line in lines}) == 1 and other in lines[0]:
            return repr(other)
    cells = [line.split() for line in lines]
    even = len({len(row) for row in cells}) == 1
    numbers = even and len(cells[0]) > 1 and any(all(re.fullmatch(r"[+-]?[\d.,]+", c) for c in column)
                                                  for column in zip(*cells[1:], strict=True))  # fmt: skip
    return "blanks" if numbers else ""


def _first_lines(text: str) -> list[str]:
    """The first lines that are not blank, each whole."""
    lines = [line for line in text[:SNIFFED].splitlines()[:LINES] if line.strip()]
    return lines[:-1] if len(text) > SNIFFED and 1 < len(lines) < LINES else lines


def _cells(text: str, mark: str, width: int, max_rows: int, max_columns: int) -> pd.DataFrame:
    """Every cell below the header as text, columns 0..width-1, read in blocks until there are too many rows."""
    # blanks before an opening quote hide it from the parser; a doubled quote is a quotation mark inside a cell
    text = re.sub(f'({re.escape(mark)}) +"(?!")', r'\1"', text)
    ragged: list[pa.csv.InvalidRow] = []

    def refuse(row: pa.csv.InvalidRow) -> str:
        if not row.text.strip():
            return "skip"
        ragged.append(row)
        return "error"

    try:
        reader = pa.csv.open_csv(
            pa.BufferReader(text.encode()),
            pa.csv.ReadOptions(autogenerate_column_names=True, use_threads=False, block_size=BLOCK),
            pa.csv.ParseOptions(delimiter=mark, newlines_in_values=True, invalid_row_handler=refuse),
            pa.csv.ConvertOptions(column_types={f"f{k}": pa.string() for k in range(width)}, strings_can_be_null=False),
        )
        blocks, rows = [], 0
        for block in reader:
            blocks.append(block)
            rows += block.num_rows
            check_size(rows - 1, width, max_rows, max_columns)
    except pa.ArrowInvalid:
        raise _uneven(ragged[0] if ragged else None, width) from None
    frame = pa.Table.from_batches(blocks).to_pandas()
    return frame.iloc[1:].set_axis(range(frame.shape[1]), axis=1).reset_index(drop=True)


def _uneven(row: pa.csv.InvalidRow | None, width: int) -> BadInput:
    if row is None or "\n" in row.text.strip() or "\r" in row.text.strip():
        where = "a line" if row is None else f"row {row.number}"
        return BadInput("File", f"a quotation mark without its partner or a very long line in {where}",
                        "quotation marks in pairs", "repair that line or save the table again")  # fmt: skip
    cells = "1 cell" if row.actual_columns == 1 else f"{row.actual_columns:,} cells"
    found = f"{cells} in row {row.number}, which starts with {row.text[:30]!r}"
    allowed = f"{width:,} {'cell' if width == 1 else 'cells'} in every row, as in the first"
    return BadInput("File", found, allowed, "repair that row or save the table again")


def decimal_commas(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[int]]:
    """Columns such as "1.234,50" with decimal points instead, and their places. Where exactly three digits follow every
    comma it may part thousands, so that the column stays as it is."""
    found = {}
    for k in range(frame.shape[1]):
        cells = frame.iloc[:, k].str.strip()
        cells = cells.where(~cells.isin(MISSING_MARKS))
        for seen in (cells.head(100).dropna(), cells.dropna()):  # a few tell most columns apart
            fits = seen.str.fullmatch(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?").all() and seen.str.contains(",").any()
            if not fits:
                break
        else:
            if not seen.str.fullmatch(r"[+-]?[\d.]+(,\d{3})?").all():
                found[k] = cells.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
    columns = {k: found.get(k, frame.iloc[:, k]) for k in range(frame.shape[1])}
    return pd.DataFrame(columns).set_axis(frame.columns, axis=1), list(found)
