from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pyarrow as pa
import pytest

from core.data.unpack import unpack
from core.types import BadInput

TEXT = b"a,b\n1,2\n"


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("content", "name"),
    [(gzip.compress(TEXT), "t.csv.gz"), (bz2.compress(TEXT), "t.csv.bz2"), (lzma.compress(TEXT), "t.csv.xz"),
     (zstd(TEXT), "t.csv.zst"), (zipped({"t.csv": TEXT}), "t.zip"), (TEXT, "t.csv")],
)  # fmt: skip
def test_the_table_inside_comes_out_with_its_name(content, name):
    assert unpack(content, name) == (TEXT, "t.csv")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, lambda c: zipped({"t.csv": c})])
def test_a_bomb_is_stopped_at_the_limit(pack):
    with pytest.raises(BadInput, match="once unpacked"):
        unpack(pack(b"0" * 3_000_000), "t.csv.gz", limit=1_000_000)


def test_several_files_or_damage_are_told():
    with pytest.raises(BadInput, match="2 files"):
        unpack(zipped({"a.csv": TEXT, "b.csv": TEXT}), "t.zip")
    with pytest.raises(BadInput, match="damaged"):
        unpack(gzip.compress(TEXT)[:-6], "t.csv.gz")


def tarred(content: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("t.csv")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [zipped({"a\n.zip": zipped({"t.csv": TEXT})}), zipped({"inner.gz": gzip.compress(TEXT)}), zipped({"e": zipped({})}),
     gzip.compress(gzip.compress(TEXT)), gzip.compress(tarred(TEXT)), gzip.compress(zipped({"t.csv": TEXT}))],
)  # fmt: skip
def test_an_archive_inside_an_archive_is_told(content):
    with pytest.raises(BadInput, match="an archive inside an archive .*unpack it and send the table"):
        unpack(content, "t.gz")


def test_a_tar_archive_is_told():
    with pytest.raises(BadInput, match="a tar archive"):
        unpack(tarred(TEXT), "t.tar")


@pytest.mark.parametrize("files", [{}, {"folder/": b""}, {"__MACOSX/._t.csv": b"x"}])
def test_an_archive_without_files_is_told(files):
    with pytest.raises(BadInput, match="an archive without any file"):
        unpack(zipped(files), "t.zip")


def test_a_workbook_inside_an_archive_is_one_table():
    book = zipped({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"})
    assert unpack(zipped({"t.xlsx": book}), "t.zip") == (book, "t.xlsx")
