"""Compressed uploads: found by their first bytes, unpacked within a limit, so that a bomb stays small."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import PurePath
from typing import IO, Any

import pyarrow as pa

from core.types import BadInput

MAX_BYTES = 1 << 30
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second begins an archive without files
TAR = slice(257, 262)
SUFFIXES = (".gz", ".bz2", ".xz", ".zip", ".zst", ".br")


def _read(stream: IO[bytes], limit: int) -> bytes:
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise BadInput(
            "File", f"more than {limit >> 20:,} MiB once unpacked", f"at most {limit >> 20:,} MiB", "send a sample"
        )
    return content


def _openers(content: bytes) -> Callable[[], Any] | None:
    raw = io.BytesIO(content)
    if content[:2] == b"\x1f\x8b":
        return lambda: gzip.GzipFile(fileobj=raw)
    if content[:3] == b"BZh":
        return lambda: bz2.BZ2File(raw)
    if content[:6] == b"\xfd7zXZ\x00":
        return lambda: lzma.LZMAFile(raw)
    if content[:4] == b"\x28\xb5\x2f\xfd":
        return lambda: pa.CompressedInputStream(pa.BufferReader(content), "zstd")
    return None


def unpack(content: bytes, filename: str, limit: int = MAX_BYTES) -> tuple[bytes, str]:
    """(bytes, name) of the table inside; content that is not compressed comes back as it is.

    Raises:
        BadInput: a damaged archive, one with no file, with several or with another archive in it, or more than `limit`
            bytes once unpacked.
    """
    name = PurePath(filename).name
    inner = name[: -len(PurePath(name).suffix)] if PurePath(name).suffix.lower() in SUFFIXES else name
    try:
        if content[:4] in ZIP:
            return (content, name) if _is_office(content) else _table_of(*_unzip(content, limit))
        opener = _openers(content)
        if opener is None:
            if content[TAR] == b"ustar":
                raise BadInput("File", "a tar archive", "one table, packed once", "unpack it and send the table")
            return content, name
        with opener() as stream:
            return _table_of(_read(stream, limit), inner)
    except BadInput:
        raise
    except Exception:  # damaged archives fail in many ways, each with an error of its own
        raise BadInput(
            "File", "a damaged or locked archive", "a whole archive without password", "pack it again"
        ) from None


def _table_of(content: bytes, name: str) -> tuple[bytes, str]:
    """What was unpacked, unless that is an archive again."""
    shown = "".join(c if c.isprintable() else " " for c in name)[:80]
    packed = _openers(content) is not None or (content[:4] in ZIP and not _is_office(content))
    if packed or content[TAR] == b"ustar":
        raise BadInput("File", f"an archive inside an archive ({shown})", "one table, packed once",
                       "unpack it and send the table")  # fmt: skip
    return content, name


def _is_office(content: bytes) -> bool:
    """True for a workbook; other office documents are refused."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        small = "mimetype" in names and archive.getinfo("mimetype").file_size < 200
        mime = archive.read("mimetype") if small else b""
    if b"opendocument" in mime:
        raise BadInput("File", "an OpenDocument file", "Excel (.xlsx) or CSV", "save the table as .xlsx or CSV")
    if "[Content_Types].xml" not in names:
        return False
    if not any(n.startswith("xl/") for n in names):
        raise BadInput("File", "a document that is no workbook", "Excel (.xlsx) or CSV", "save its table as CSV")
    if "xl/workbook.bin" in names:
        raise BadInput("File", "a binary workbook (.xlsb)", "Excel (.xlsx) or CSV", "save it as .xlsx or CSV")
    return True


def unpacked_size(content: bytes) -> int:
    """Bytes that a zip archive says its files have; reading one never gives more than it says."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sum(f.file_size for f in archive.infolist())


def _unzip(content: bytes, limit: int) -> tuple[bytes, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = [f for f in archive.infolist() if not f.is_dir() and not f.filename.startswith("__MACOSX/")]
        if not files:
            raise BadInput("File", "an archive without any file", "one table an archive", "pack the table again")
        if len(files) > 1:
            raise BadInput(
                "File", f"an archive with {len(files)} files", "one table an archive", "pack the table alone"
            )
        with archive.open(files[0]) as stream:
            return _read(stream, limit), PurePath(files[0].filename).name
