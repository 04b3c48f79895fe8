"""From a study's description to its arrays, the same way for built-in sets, uploads and files on the server."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core import registry
from core.data.encode import make_task
from core.data.groups import make_groups
from core.data.read import digest, read_path, read_table
from core.data.roles import make_dataset
from core.data.split import make_splits
from core.types import BadInput, Dataset, DatasetEntry, DataSpec, StudySpec, Table, Task

HINT_UPLOAD = "upload the file again on the start page"


def check_options(entry: DatasetEntry, options: Mapping[str, Any]) -> dict[str, Any]:
    """Every option of a built-in set, given or default, checked; unknown ones are refused."""
    known = {p.name: p for p in entry.params}
    for name in options:
        if name not in known:
            allowed = ", ".join(known) or "no option"
            raise BadInput(f"Option of {entry.title}", repr(name), allowed, "remove it")
    return {name: p.check(options.get(name, p.default)) for name, p in known.items()}


def default_study(name: str, options: Mapping[str, Any] | None = None) -> StudySpec:
    """A built-in set with its own roles, groups and split, and no training yet."""
    entry = registry.dataset(name)
    chosen = check_options(entry, options or {})
    data = DataSpec(source="builtin", name=name, options=chosen)
    return StudySpec(name=entry.title, data=data, roles=entry.roles(chosen), groups=entry.groups(chosen))


def upload_folder(home: Path, data: DataSpec) -> Path:
    """Where the bytes of an upload are kept; the digest is checked, since it comes from study files."""
    if not re.fullmatch(r"[0-9a-f]{64}", data.digest):
        raise BadInput("Uploaded file", repr(data.digest), "a SHA-256 of 64 hexadecimal characters", HINT_UPLOAD)
    return Path(home) / "uploads" / data.digest


def save_upload(home: Path, filename: str, content: bytes) -> DataSpec:
    """Keep the bytes as they came, under their digest and a safe name."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(filename).name)[-80:].lstrip(".-") or "table.csv"
    data = DataSpec(source="upload", name=safe, digest=digest(content))
    folder = upload_folder(home, data)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / safe
    if not target.exists() or digest(target.read_bytes()) != data.digest:  # a damaged copy is mended
        part = folder / f".{secrets.token_hex(8)}.part"
        part.write_bytes(content)
        os.replace(part, target)
    return data


def _upload(home: Path, data: DataSpec) -> Table:
    folder = upload_folder(home, data)
    name = Path(data.name).name
    found = [f for f in (folder / name, *sorted(folder.glob("[!.]*"))) if f.is_file()]
    if not found:
        raise BadInput(
            "Uploaded file", f"{data.name}, which this server does not have", "a file kept here", HINT_UPLOAD
        )
    content = found[0].read_bytes()
    if digest(content) != data.digest:
        raise BadInput("Uploaded file", f"{data.name} with other contents than before", "the same file", HINT_UPLOAD)
    return read_table(content, found[0].name)


def data_root() -> Path:
    """The folder from which tables may be opened by path (COUNTERWEIGHT_DATA_ROOT), or BadInput where none is set."""
    root = os.environ.get("COUNTERWEIGHT_DATA_ROOT", "")
    if not root:
        raise BadInput("Path", "a file on the server's disk", "uploads only, on this server",
                       "upload the file, or ask the operator to set COUNTERWEIGHT_DATA_ROOT")  # fmt: skip
    return Path(root)


def load_table(data: DataSpec, home: Path) -> Table:
    """The table of a study, before roles."""
    if data.source == "builtin":
        entry = registry.dataset(data.name)
        return entry.load(check_options(entry, data.options))
    if data.source == "upload":
        return _upload(home, data)
    if data.source == "path":
        return read_path(data.path, data_root())
    raise BadInput("Data source", repr(data.source), "builtin, upload or path", "choose a data set on the start page")


def load_dataset(spec: StudySpec, home: Path) -> Dataset:
    """The dataset of a study; its roles are the study's own, or a built-in set's where none were chosen."""
    roles = spec.roles
    if spec.data.source == "builtin":
        entry = registry.dataset(spec.data.name)
        roles = roles or entry.roles(check_options(entry, spec.data.options))
        title = entry.title
    else:
        title = spec.name
    if roles is None:
        raise BadInput("Roles", "no label chosen yet", "a confirmed label", "choose it on the data page")
    return make_dataset(load_table(spec.data, home), roles, spec.data.name or title, title)


def load_task(spec: StudySpec, home: Path) -> Task:
    """The arrays that a study trains on."""
    dataset = load_dataset(spec, home)
    groups = make_groups(dataset, spec.groups)
    return make_task(dataset, groups, make_splits(dataset, groups, spec.split))
