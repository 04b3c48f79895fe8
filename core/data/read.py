"""Untrusted bytes to a table: CSV of any delimiter and encoding, Parquet, Feather, Excel, JSON lines, packed or not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path, PurePath

import numpy as np
import pandas as pd

from core.data.columns import check_size, plain_column
from core.data.delimited import KINDS, read_delimited, recode
from core.data.formats import read_excel, read_feather, read_json, read_parquet
from core.data.unpack import unpack
from core.types import BadInput, Table

MAX_BYTES = 500 * 2**20
MOST_NAMED = 8
NO_TABLES = (".pkl", ".pickle", ".joblib", ".npy", ".npz", ".rds", ".rdata", ".h5", ".db", ".sqlite", ".pdf")
OTHER_KINDS = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel file (.xls)"), (b"%PDF", "a PDF file"),
    (b"<!DOCTYPE", "a web page"), (b"<HTML", "a web page"), (b"<?XML", "an XML file"), (b"{\\RTF", "an RTF text"),
    (b"SQLITE FORMAT 3\x00", "a database file"), (b"\x89HDF", "an HDF5 file"), (b"\x89PNG", "an image"),
    (b"\x93NUMPY", "a NumPy file"), (b"$FL2", "an SPSS file"), (b"<STATA", "a Stata file"),
    (b"\x80\x02", "a pickled object"), (b"\x80\x03", "a pickled object"), (b"\x80\x04", "a pickled object"),
    (b"\x80\x05", "a pickled object"), (b"FEA1", "a Feather file of version 1"),
)  # fmt: skip
Reader = Callable[[bytes, int, int], tuple[pd.DataFrame, list[str]]]


def digest(content: bytes) -> str:
    """SHA-256 of the bytes, 64 hexadecimal characters."""
    return hashlib.sha256(content).hexdigest()


def read_path(path: str | Path, allowed_root: Path) -> Table:
    """A table on the server's disk, below `allowed_root` once links are followed."""
    try:
        root = Path(allowed_root).resolve()
        target = (root / path).resolve()
        inside = target.is_relative_to(root)
        size = target.stat().st_size if inside and target.is_file() else -1
    except (OSError, ValueError, RuntimeError):
        raise BadInput("Path", _shown(str(path)), "the name of a file", "check the spelling") from None
    if not inside:
        raise BadInput("Path", _shown(str(path)), "a file below the operator's data folder", "give a path inside it")
    if size < 0:
        raise BadInput("Path", f"{_shown(str(path))}, which is not a file", "an existing table", "check the spelling")
    _check_bytes(size)
    try:
        content = target.read_bytes()
    except OSError:
        raise BadInput("Path", f"{_shown(str(path))}, which this server may not read", "a readable file",
                       "ask the operator for access") from None  # fmt: skip
    return read_table(content, target.name)


def _check_bytes(size: int) -> None:
    if size > MAX_BYTES:
        raise BadInput("File", f"{size >> 20:,} MiB", f"at most {MAX_BYTES >> 20:,} MiB", "send a sample of rows")


def read_table(
    content: bytes, filename: str, *, max_rows: int = 5_000_000, max_columns: int = 2_000, encoding: str = ""
) -> Table:
    """Read a table. Names and text are kept as plain text, never evaluated; usual marks of missing values are missing.

    Args:
        encoding: of CSV or JSON, such as "cp1251"; "" finds it. Other formats say it themselves.

    Raises:
        BadInput: in one sentence, whatever is wrong with the file.
    """
    _check_bytes(len(content))
    if not content.strip():
        raise BadInput("File", "an empty file", f"a table as {KINDS}", "choose another file")
    content, name = unpack(content, filename)
    if not content.strip():
        raise BadInput("File", "an empty file inside the archive", f"a table as {KINDS}", "choose another file")
    reader = _reader(content, name)
    if encoding and reader in (read_delimited, read_json):
        content = recode(content, encoding)
    try:
        frame, notes = reader(content, max_rows, max_columns)
        clean = _clean(frame, max_rows, max_columns)
        notes = [*notes, *_infinite(frame)]
    except BadInput:
        raise
    except Exception as error:  # parsers of foreign bytes raise whatever they like; a person gets one sentence
        kind = reader.__name__.removeprefix("read_")
        raise BadInput("File", f"{_shown(PurePath(filename).name)}, which cannot be read as {kind}", KINDS,
                       "save it again, as CSV in UTF-8 if in doubt") from error  # fmt: skip
    return Table(clean, notes=tuple(notes))


def _shown(name: str) -> str:
    return "".join(c if c.isprintable() else " " for c in name)[:80]


def _reader(content: bytes, name: str) -> Reader:
    """Which reader fits: by the first bytes, and by the name only where bytes leave it open."""
    suffix, start = PurePath(name).suffix.lower(), content[:64].lstrip()
    if content[:4] == b"PAR1":
        return read_parquet
    if content[:6] == b"ARROW1":
        return read_feather
    if content[:4] == b"PK\x03\x04":
        return read_excel
    for mark, kind in OTHER_KINDS:
        if start.upper().startswith(mark):
            raise BadInput("File", kind, KINDS, "save the table as .xlsx or CSV")
    if suffix in NO_TABLES:
        raise BadInput("File", f"a {suffix} file", KINDS, "save the table as CSV")
    if suffix in (".json", ".jsonl", ".ndjson") or start[:1] == b"{" or start[:2] in (b"[{", b"[\n"):
        return read_json
    return read_delimited


def _infinite(frame: pd.DataFrame) -> list[str]:
    """A note on cells such as inf, -inf or 1e400, which are missing in a clean column."""
    floats = frame.select_dtypes("floating")
    count = {str(name): int(np.isinf(floats[name].to_numpy(float)).sum()) for name in floats.columns}
    found = [f"{n:,} in {name}" for name, n in count.items() if n]
    if not found:
        return []
    more = f" and {len(found) - MOST_NAMED:,} more columns" if len(found) > MOST_NAMED else ""
    told = ", ".join(found[:MOST_NAMED]) + more
    return [f"Infinite cells (inf, or a number too large such as 1e400) count as missing: {told}."]


def _clean(frame: pd.DataFrame, max_rows: int, max_columns: int) -> pd.DataFrame:
    check_size(len(frame), frame.shape[1], max_rows, max_columns)
    if len(frame) == 0 or frame.shape[1] == 0:
        raise BadInput("File", "column names and no row", "at least one row", "choose another file")
    clean = pd.DataFrame({str(name).strip(): plain_column(frame[name]) for name in frame.columns})
    if clean.isna().all(axis=None):
        raise BadInput("File", "a table in which every value is missing", "at least one value", "choose another file")
    return clean.reset_index(drop=True)
