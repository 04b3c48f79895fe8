"""Parquet, Feather, Excel and JSON lines. Bytes are untrusted: sizes are checked before values are unfolded, and Arrow
data is validated before anything looks at it."""

from __future__ import annotations

import io
import json
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.ipc
import pyarrow.parquet

from core.data.columns import check_names, check_size, type_values
from core.data.delimited import decode
from core.data.unpack import MAX_BYTES, unpacked_size
from core.types import BadInput

Read = tuple[pd.DataFrame, list[str]]
ERRORS = ("#DIV/0!", "#N/A", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")  # of formulas
EXACT = 2**53  # whole numbers beyond it are rounded where a column also has missing values


def _limit(size: int) -> None:
    if size > 2 * MAX_BYTES:
        most = f"at most {2 * MAX_BYTES >> 20:,} MiB"
        raise BadInput("File", f"{size >> 20:,} MiB once unpacked", most, "send fewer rows or columns")


def read_parquet(content: bytes, max_rows: int, max_columns: int) -> Read:
    """Parquet of any compression. Words stay coded until their whole length is known."""
    meta = pa.parquet.read_metadata(pa.BufferReader(content))
    check_size(meta.num_rows, meta.num_columns, max_rows, max_columns)
    _limit(sum(meta.row_group(k).total_byte_size for k in range(meta.num_row_groups)))
    schema = meta.schema.to_arrow_schema()
    words = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]
    return from_arrow(pa.parquet.ParquetFile(pa.BufferReader(content), read_dictionary=words).read())


def read_feather(content: bytes, max_rows: int, max_columns: int) -> Read:
    """Feather (version 2, the Arrow file format), block by block."""
    blocks, rows, size = [], 0, 0
    with pa.ipc.open_file(pa.BufferReader(content)) as file:
        for k in range(file.num_record_batches):
            block = file.get_batch(k)
            block.validate(full=True)  # before anything else: even the size of a damaged block is read out of bounds
            rows, size = rows + block.num_rows, size + block.nbytes
            check_size(rows, block.num_columns, max_rows, max_columns)
            _limit(size)
            blocks.append(block)
        table = pa.Table.from_batches(blocks, file.schema)
    return from_arrow(table)


def from_arrow(table: pa.Table) -> Read:
    """A table of numbers, words, dates and yes/no; nested and binary columns are refused."""
    table.validate(full=True)  # a damaged file otherwise reads outside its memory
    check_names([str(n) for n in table.column_names], max(len(table.column_names), 1))
    columns = {str(f.name): _arrow_column(table.column(k), f) for k, f in enumerate(table.schema)}
    return pd.DataFrame(columns), []


def _arrow_column(column: pa.ChunkedArray, field: pa.Field) -> pd.Series:
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.chunked_array([c.storage for c in column.chunks], kind.storage_type)
        kind = column.type
    if pa.types.is_dictionary(kind):
        column = _unfolded(column)
        kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or (
        pa.types.is_fixed_size_binary(kind)
    ):  # fmt: skip
        raise BadInput("File", f"column {field.name!r} of {kind}", "numbers, words, dates or yes/no", "remove it")
    if pa.types.is_decimal(kind) or kind == pa.float16():
        column = column.cast(pa.float64())
    elif pa.types.is_date(kind):
        column = column.cast(pa.timestamp("s")) if kind == pa.date32() else column.cast(pa.timestamp("ms"))
    elif pa.types.is_integer(kind) and column.null_count < len(column):
        ends = pa.compute.min_max(column).as_py()
        if max(-ends["min"], ends["max"]) >= EXACT:
            column = column.cast(pa.string())
    return column.to_pandas()


def _unfolded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A coded column as its values, unless they are longer than a table may be."""
    values = column.type.value_type
    if pa.types.is_nested(values):
        return column.cast(values)
    size = 0
    for chunk in column.chunks:
        if pa.types.is_string(values) or pa.types.is_large_string(values):
            length = pa.compute.binary_length(chunk.dictionary)
            size += pa.compute.sum(pa.compute.take(length, chunk.indices)).as_py() or 0
            _limit(size)
    return column.cast(pa.large_string() if pa.types.is_string(values) else values)


def read_excel(content: bytes, max_rows: int, max_columns: int) -> Read:
    """The first sheet of a workbook. Formulas are never evaluated: the value that was saved with one is read. Errors
    of formulas, such as #DIV/0!, are missing."""
    _limit(unpacked_size(content))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with _book(content, data_only=True) as book:
            names = book.sheetnames
            rows = _sheet_rows(book.worksheets[0], max_rows, max_columns)
        bare = _bare_formulas(content) if _has_formulas(content) else 0
    if len(rows) < 2 and bare:
        found = f"{bare:,} formulas without saved results and no row of values"
        raise BadInput("File", found, "a table of values", "open it in a spreadsheet program and save it again")
    if not rows:
        found = f"an empty first sheet ({names[0]})"
        raise BadInput("File", found, "a table on the first sheet", "move the table there")
    width = max(map(len, rows))
    header = check_names(["" if cell is None else str(cell) for cell in _padded(rows[0], width)], max_columns)
    notes = [] if len(names) == 1 else [f"The first of {len(names)} sheets was read: {names[0]}."]
    frame = pd.DataFrame([_padded(row, width) for row in rows[1:]], columns=range(width), dtype=object)
    frame, told = _without_errors(frame)
    if bare:
        are = "is" if bare == 1 else "are"
        told.append(f"{bare:,} {_cells(bare)} a formula whose result was not saved and {are} missing: open the file "
                    "in a spreadsheet program and save it again to keep the results.")  # fmt: skip
    columns = {k: type_values(frame[k]) for k in range(width)}
    return pd.DataFrame(columns).set_axis(pd.Index(header, dtype=object), axis=1), notes + told


@contextmanager
def _book(content: bytes, data_only: bool) -> Iterator[openpyxl.Workbook]:
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=data_only, keep_links=False)
    try:
        yield book
    finally:
        book.close()


def _cells(n: int) -> str:
    return "cell holds" if n == 1 else "cells hold"


def _without_errors(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Cells with what a spreadsheet writes where a formula fails become missing; a note counts them."""
    wrong = frame.isin(ERRORS)
    n = int(wrong.to_numpy().sum())
    if not n:
        return frame, []
    kinds = sorted(set(frame.to_numpy()[wrong.to_numpy()]))
    error = "an error of a formula" if n == 1 else "errors of formulas"
    told = f"{n:,} {_cells(n)} {error} ({', '.join(kinds)}) and {'is' if n == 1 else 'are'} missing."
    return frame.mask(wrong, None), [told]


def _has_formulas(content: bytes) -> bool:
    """Whether any sheet holds the tag of a formula."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = [f for f in archive.infolist() if f.filename.startswith("xl/worksheets/") and not f.is_dir()]
        return any(_holds_formula(archive, file) for file in sheets)


def _holds_formula(archive: zipfile.ZipFile, sheet: zipfile.ZipInfo) -> bool:
    with archive.open(sheet) as stream:
        end = b""  # of the last block: a tag may be cut in two
        while block := stream.read(1 << 20):
            if re.search(rb"<(\w{1,20}:)?f[ />]", end + block):
                return True
            end = block[-32:]
    return False


def _bare_formulas(content: bytes) -> int:
    """Cells of the first sheet with a formula but no saved result."""
    with _book(content, True) as values, _book(content, False) as formulas:
        sheets = [book.worksheets[0] for book in (values, formulas)]
        for sheet in sheets:
            sheet.reset_dimensions()  # type: ignore[attr-defined]
        pairs = zip(*(sheet.iter_rows(values_only=True) for sheet in sheets), strict=False)
        return sum(a is None and b is not None for seen, told in pairs for a, b in zip(seen, told, strict=False))


def _sheet_rows(sheet: object, max_rows: int, max_columns: int) -> list[tuple]:
    """The rows that have a value, each up to its last value."""
    sheet.reset_dimensions()  # type: ignore[attr-defined]  # what the file says of its size may be a lie
    rows, width = [], 0
    for row in sheet.iter_rows(values_only=True):  # type: ignore[attr-defined]
        last = next((k for k in range(len(row), 0, -1) if row[k - 1] is not None), 0)
        if not last:
            continue
        width = max(width, last)
        rows.append(row[:last])
        check_size(len(rows) - 1, width, max_rows, max_columns)
    return rows


def _padded(row: tuple, width: int) -> tuple:
    return row + (None,) * (width - len(row))


def read_json(content: bytes, max_rows: int, max_columns: int) -> Read:
    """JSON lines, or one list of objects. A field that an object leaves out is missing; one given twice is refused."""
    text, notes = decode(content)
    records = _json_list(text) if text.lstrip().startswith("[") else _json_lines(text)
    if not isinstance(records, list) or not all(isinstance(r, dict) for r in records):
        found = "JSON that is not one object a row"
        raise BadInput("File", found, "JSON lines, or a list of objects", "save it as CSV")
    nested = next((k for r in records for k, v in r.items() if isinstance(v, (dict, list))), None)
    if nested is not None:
        raise BadInput("File", f"nested values in {nested!r}", "plain numbers, words and yes/no", "flatten that column")
    columns = list(dict.fromkeys(k for r in records for k in r))
    check_size(len(records), len(columns), max_rows, max_columns)
    check_names(columns, max_columns)
    frame = pd.DataFrame({c: [r.get(c) for r in records] for c in columns}, columns=columns, dtype=object)
    return pd.DataFrame({c: type_values(frame[c]) for c in columns}), notes


class _Twice(ValueError):
    """An object that gives one name twice."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return found


def _given_twice(name: object, where: str) -> BadInput:
    found = f"{str(name)[:60]!r} more than once in {where}"
    return BadInput("File", found, "every name once in an object", "rename or remove one of them")


def _json_lines(text: str) -> list:
    records = []
    for number, line in enumerate(io.StringIO(text, newline=None), 1):  # the ends of lines that JSON knows
        if line.strip():
            try:
                records.append(json.loads(line, object_pairs_hook=_once))
            except _Twice as twice:
                raise _given_twice(twice, f"line {number:,}") from None
    return records


def _json_list(text: str) -> object:
    ended = 0

    def count(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal ended
        ended += 1
        return _once(pairs)

    try:
        return json.loads(text, object_pairs_hook=count)
    except _Twice as twice:
        raise _given_twice(twice, f"object {ended:,}") from None
