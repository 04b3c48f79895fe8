from __future__ import annotations

import bz2
import gzip
import io
import lzma
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
