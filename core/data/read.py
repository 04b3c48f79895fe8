"""Untrusted bytes to a table: CSV of any delimiter and encoding, Parquet, Feather, Excel, JSON lines, packed or not."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path, PurePath

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from charset_normalizer import from_bytes

from core.data.unpack import unpack
from core.types import BadInput, Table

MISSING_MARKS = ("", "NA", "N/A", "n/a", "#N/A", "?", "null", "NULL", "None", "none", "nan", "NaN", "NAN", "<NA>", "-")
DELIMITERS = (",", ";", "\t", "|")
MAX_BYTES = 500 * 2**20
MAX_CELLS = 200_000_000
KINDS = "CSV, TSV, Parquet, Feather, Excel (.xlsx) or JSON lines"


def digest(content: bytes) -> str:
    """SHA-256 of the bytes, 64 hexadecimal characters."""
    return hashlib.sha256(content).hexdigest()


def read_path(path: str | Path, allowed_root: Path) -> Table:
    """A table on the server's disk, below `allowed_root` once links are followed."""
    root = Path(allowed_root).resolve()
    target = (root / path).resolve()
    if not target.is_relative_to(root):
        raise BadInput("Path", str(path), "a file below the operator's data folder", "give a path inside it")
    if not target.is_file():
        raise BadInput("Path", f"{path}, which is not a file", "an existing table", "check the spelling")
    if target.stat().st_size > MAX_BYTES:
        raise BadInput(
            "File", f"{target.stat().st_size >> 20:,} MiB", f"at most {MAX_BYTES >> 20:,} MiB", "send a sample"
        )
    return read_table(target.read_bytes(), target.name)


def read_table(content: bytes, filename: str, *, max_rows: int = 5_000_000, max_columns: int = 2_000) -> Table:
    """Read a table. Names and text are kept as plain text, never evaluated; usual marks of missing values are missing.

    Raises:
        BadInput: in one sentence, whatever is wrong with the file.
    """
    if len(content) > MAX_BYTES:
        raise BadInput(
            "File", f"{len(content) >> 20:,} MiB", f"at most {MAX_BYTES >> 20:,} MiB", "send a sample of rows"
        )
    if not content.strip():
        raise BadInput("File", "an empty file", f"a table as {KINDS}", "choose another file")
    content, name = unpack(content, filename)
    if not content.strip():
        raise BadInput("File", "an empty file inside the archive", f"a table as {KINDS}", "choose another file")
    reader = _reader(content, name)
    try:
        frame, notes = reader(content, max_rows, max_columns)
    except BadInput:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OSError, EOFError, AttributeError, OverflowError, MemoryError,
            RecursionError, zipfile.BadZipFile, pa.ArrowException, csv.Error, SyntaxError) as error:  # fmt: skip
        kind = reader.__name__.removeprefix("_").replace("_", " ")
        raise BadInput("File", f"{PurePath(filename).name}, which cannot be read as {kind}", KINDS,
                       "save it again, as CSV in UTF-8 if in doubt") from error  # fmt: skip
    return Table(_clean(frame, max_rows, max_columns), notes=tuple(notes))


Reader = Callable[[bytes, int, int], tuple[pd.DataFrame, list[str]]]


def _reader(content: bytes, name: str) -> Reader:
    suffix = PurePath(name).suffix.lower()
    if content[:4] == b"PAR1":
        return _parquet
    if content[:6] == b"ARROW1" or content[:4] == b"FEA1":
        return _feather
    if content[:4] == b"PK\x03\x04":
        return _excel
    if content[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" or suffix == ".xls":
        raise BadInput("File", "an old Excel file (.xls)", KINDS, "save it as .xlsx or CSV")
    if suffix in (".pkl", ".pickle", ".joblib", ".npy", ".npz", ".rds", ".rdata", ".h5", ".db", ".sqlite", ".pdf"):
        raise BadInput("File", f"a {suffix} file", KINDS, "save the table as CSV")
    if (
        suffix in (".json", ".jsonl", ".ndjson")
        or content.lstrip()[:1] == b"{"
        or content.lstrip()[:2] in (b"[{", b"[\n")
    ):
        return _json_lines
    return _delimited_text


# ------------------------------------------------------------------ text


def _decode(content: bytes) -> tuple[str, list[str]]:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            return content.decode(encoding), []
    try:
        text = content.decode("utf-8")
        if "\x00" not in text:
            return text, []
    except UnicodeDecodeError:
        pass
    encoding = _guess_encoding(content)
    text = content.decode(encoding, errors="replace")
    if text.count("\x00") > 0 or text[:4096].count("\ufffd") > 40:
        raise BadInput("File", "bytes that are no text", KINDS, "choose another file")
    return text, [f"The file was read as {encoding.replace('_', '-')}, its most likely encoding."]


EASTERN = ("Polish", "Czech", "Slovak", "Hungarian", "Romanian", "Croatian", "Slovene", "Bosnian")


def _guess_encoding(content: bytes) -> str:
    """The most likely encoding of bytes that are not UTF-8. Single-byte Latin encodings differ in few letters and are
    hard to tell apart, so they are read as cp1252 unless the words look Central European."""
    best = from_bytes(content[:200_000]).best()
    if best is None or not best.encoding.startswith(("utf", "cp125", "latin", "mac", "iso8859", "koi8")):
        return "cp1252"
    latin = best.encoding in ("cp1250", "cp1252", "cp1254", "cp1257", "latin_1") or best.encoding.startswith("mac_")
    if (latin or best.encoding.startswith("iso8859")) and best.language not in EASTERN:
        return "cp1252"
    return best.encoding


def _delimiter(text: str) -> str:
    """The delimiter that cuts the first lines most evenly into most columns; a comma where none does."""
    lines = [line for line in text[:65_536].splitlines()[:50] if line.strip()]
    if len(text) > 65_536 and len(lines) > 1:
        lines = lines[:-1] if len(lines) < 50 else lines
    best, chosen = (0.0, 1), ","
    for mark in DELIMITERS:
        widths = [len(row) for row in csv.reader(lines, delimiter=mark)]
        if not widths:
            continue
        width, times = Counter(widths).most_common(1)[0]
        if width > 1 and (times / len(widths), width) > best:
            best, chosen = (times / len(widths), width), mark
    return chosen


def _delimited_text(content: bytes, max_rows: int, max_columns: int) -> tuple[pd.DataFrame, list[str]]:
    text, notes = _decode(content)
    mark = _delimiter(text)
    csv.field_size_limit(10 * 2**20)
    header = next(csv.reader(io.StringIO(text[: 4 * 2**20]), delimiter=mark), [])
    _check_names(header, max_columns)
    width = len(header)
    try:
        frame = pd.read_csv(
            io.StringIO(text), sep=mark, header=None, skiprows=0, names=range(width), dtype=str,
            na_values=MISSING_MARKS, keep_default_na=False, index_col=False, skipinitialspace=True, nrows=max_rows + 2,
            on_bad_lines="error", quotechar='"', low_memory=False, encoding_errors="replace",
        )  # fmt: skip
    except pd.errors.ParserError as error:
        line = next((w for w in str(error).replace(",", " ").split() if w.isdigit() and int(w) != width), "some line")
        words = str(error).split("line ")
        where = words[1].split(",")[0] if len(words) > 1 else line
        raise BadInput("File", f"a different number of cells in line {where}", f"{width} cells a line, as in the first",
                       "repair that line or save the table again") from None  # fmt: skip
    frame = frame.iloc[1:].reset_index(drop=True)
    frame.columns = pd.Index([h.strip().lstrip("\ufeff") for h in header], dtype=object)
    if mark != ",":
        frame, commas = _decimal_commas(frame)
        notes += [f"Commas were read as decimal points in {', '.join(commas)}."] if commas else []
    return _typed(frame), notes


def _decimal_commas(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Columns such as "1.234,50" with decimal points instead, and their names. Where exactly three digits follow every
    comma it may part thousands, so that the column stays as it is."""
    found = {}
    for k, name in enumerate(frame.columns):
        cells = frame.iloc[:, k].str.strip()
        cells = cells.where(~cells.isin(MISSING_MARKS))
        for seen in (cells.head(100).dropna(), cells.dropna()):  # a few tell most columns apart
            fits = seen.str.fullmatch(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?").all() and seen.str.contains(",").any()
            if not fits:
                break
        else:
            if not seen.str.fullmatch(r"[+-]?[\d.]+(,\d{3})?").all():
                plain = cells.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
                found[k] = (str(name), plain)
    columns = {k: found[k][1] if k in found else frame.iloc[:, k] for k in range(frame.shape[1])}
    return pd.DataFrame(columns).set_axis(frame.columns, axis=1), [name for name, _ in found.values()]


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of text as numbers, yes/no or dates where every value is one."""
    return pd.DataFrame({k: _typed_column(frame.iloc[:, k]) for k in range(frame.shape[1])}).set_axis(
        frame.columns, axis=1
    )


def _typed_column(column: pd.Series) -> pd.Series:
    column = column.str.strip()
    column = column.where(~column.isin(MISSING_MARKS))
    seen = column.dropna()
    if len(seen) == 0:
        return column
    padded = seen.str.match(r"^0\d").any()
    numbers = None if padded else pd.to_numeric(seen, errors="coerce")
    if numbers is not None and numbers.notna().all():
        whole = bool((numbers == numbers.round()).all()) and len(seen) == len(column) and numbers.abs().max() < 2**53
        return pd.to_numeric(column).astype("int64" if whole else "float64")
    if set(seen.str.lower().unique()) == {"true", "false"} and len(seen) == len(column):
        return column.str.lower() == "true"
    if seen.head(50).str.match(r"^\d{4}-\d{2}-\d{2}([T ].*)?$").all():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dates = pd.to_datetime(column, errors="coerce", format="ISO8601", utc=True).dt.tz_localize(None)
        if dates.notna().sum() == len(seen):
            return dates
    return column


# ------------------------------------------------------------------ other formats


def _parquet(content: bytes, max_rows: int, max_columns: int) -> tuple[pd.DataFrame, list[str]]:
    file = pa.parquet.ParquetFile(pa.BufferReader(content))
    _check_size(file.metadata.num_rows, file.metadata.num_columns, max_rows, max_columns)
    return _from_arrow(file.read())


def _feather(content: bytes, max_rows: int, max_columns: int) -> tuple[pd.DataFrame, list[str]]:
    table = pa.feather.read_table(pa.BufferReader(content))
    _check_size(table.num_rows, table.num_columns, max_rows, max_columns)
    return _from_arrow(table)


def _from_arrow(table: pa.Table) -> tuple[pd.DataFrame, list[str]]:
    for field in table.schema:
        if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            raise BadInput(
                "File", f"column {field.name!r} of {field.type}", "numbers, words, dates or yes/no", "remove it"
            )
    _check_names([str(n) for n in table.column_names], len(table.column_names))
    return table.replace_schema_metadata(None).to_pandas(), []


def _excel(content: bytes, max_rows: int, max_columns: int) -> tuple[pd.DataFrame, list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        rows = []
        for k, row in enumerate(sheet.iter_rows(values_only=True)):
            if k > max_rows:
                _check_size(k, 1, max_rows, max_columns)
            if any(cell is not None for cell in row):
                rows.append(row)
        names = book.sheetnames
        book.close()
    if not rows:
        raise BadInput(
            "File", f"an empty first sheet ({names[0]})", "a table on the first sheet", "move the table there"
        )
    width = max(k + 1 for row in rows for k, cell in enumerate(row) if cell is not None)
    header = ["" if cell is None else str(cell) for cell in rows[0][:width]]
    _check_names(header, max_columns)
    notes = [] if len(names) == 1 else [f"The first of {len(names)} sheets was read: {names[0]}."]
    frame = pd.DataFrame([(*row, *[None] * width)[:width] for row in rows[1:]], columns=range(width))
    columns = {k: _excel_column(frame[k]) for k in range(width)}
    return pd.DataFrame(columns).set_axis([h.strip() for h in header], axis=1), notes


def _excel_column(column: pd.Series) -> pd.Series:
    seen = column.dropna()
    kinds = {bool if isinstance(v, bool) else float if isinstance(v, (int, float)) else type(v) for v in seen}
    if kinds == {float}:
        return pd.to_numeric(column)
    if kinds == {bool} and len(seen) == len(column):
        return column.astype(bool)
    if len(kinds) == 1 and hasattr(seen.iloc[0], "year"):
        return pd.to_datetime(column, errors="coerce")
    return _typed_column(column.map(lambda v: v if v is None else str(v)).astype("str"))


def _json_lines(content: bytes, max_rows: int, max_columns: int) -> tuple[pd.DataFrame, list[str]]:
    text, notes = _decode(content)
    if text.lstrip().startswith("["):
        records = json.loads(text)
    else:
        records = [json.loads(line) for line in text.splitlines() if line.strip()]
    if not isinstance(records, list) or not all(isinstance(r, dict) for r in records):
        raise BadInput(
            "File", "JSON that is not one object a row", "JSON lines, or a list of objects", "save it as CSV"
        )
    nested = next((k for r in records for k, v in r.items() if isinstance(v, (dict, list))), None)
    if nested is not None:
        raise BadInput("File", f"nested values in {nested!r}", "plain numbers, words and yes/no", "flatten that column")
    columns = list(dict.fromkeys(k for r in records for k in r))
    _check_size(len(records), len(columns), max_rows, max_columns)
    _check_names(columns, max_columns)
    frame = pd.DataFrame({c: [r.get(c) for r in records] for c in columns}, columns=columns)
    return pd.DataFrame({c: _excel_column(frame[c]) for c in columns}), notes


# ------------------------------------------------------------------ checks


def _check_size(rows: int, columns: int, max_rows: int, max_columns: int) -> None:
    if rows > max_rows:
        raise BadInput("File", f"more than {max_rows:,} rows", f"at most {max_rows:,} rows", "send a sample")
    if columns > max_columns:
        raise BadInput("File", f"{columns:,} columns", f"at most {max_columns:,} columns", "keep the columns you need")
    if rows * columns > MAX_CELLS:
        raise BadInput(
            "File", f"{rows * columns:,} cells", f"at most {MAX_CELLS:,} cells", "send fewer rows or columns"
        )


def _check_names(names: list[str], max_columns: int) -> None:
    names = [n.strip().lstrip("\ufeff") for n in names]
    _check_size(0, len(names), 1, max_columns)
    for k, name in enumerate(names):
        if not name:
            raise BadInput(
                "Column names", f"no name for column {k + 1}", "a name for every column", "name it in the first line"
            )
        if len(name) > 200:
            raise BadInput("Column names", f"a name of {len(name)} characters", "at most 200", "shorten it")
    doubles = [n for n, times in Counter(names).items() if times > 1]
    if doubles:
        raise BadInput(
            "Column names", f"{doubles[0]!r} more than once", "every name once", "rename or remove one of them"
        )


def _clean(frame: pd.DataFrame, max_rows: int, max_columns: int) -> pd.DataFrame:
    _check_size(len(frame), frame.shape[1], max_rows, max_columns)
    if len(frame) == 0:
        raise BadInput("File", "column names and no row", "at least one row", "choose another file")
    columns = {}
    for name in frame.columns:
        column = frame[name]
        if (
            column.dtype == object
            or pd.api.types.is_string_dtype(column)
            or isinstance(column.dtype, pd.CategoricalDtype)
        ):
            column = column.astype("str").str.strip()
            column = column.where(~column.isin(MISSING_MARKS))
        elif pd.api.types.is_float_dtype(column):
            column = column.astype("float64").replace([np.inf, -np.inf], np.nan)
        columns[str(name).strip()] = column
    clean = pd.DataFrame(columns)
    if clean.isna().all(axis=None):
        raise BadInput("File", "a table in which every value is missing", "at least one value", "choose another file")
    return clean.reset_index(drop=True)
