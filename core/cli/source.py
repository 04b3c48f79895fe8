"""From a study file on disk to a study whose table is at hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.data.groups import suggest_groups
from core.data.load import load_dataset, save_upload, upload_folder
from core.data.read import digest
from core.fields import decode
from core.study import MAX_BYTES, parse_study
from core.types import BadInput, DataSpec, StudySpec

ROOT = Path(__file__).resolve().parents[2]


def read_bytes(path: Path, field: str) -> bytes:
    """A file's bytes, or BadInput."""
    try:
        return path.read_bytes()
    except OSError as wrong:
        reason = (wrong.strerror or type(wrong).__name__).lower()
        raise BadInput(field, f"{path} ({reason})", "a file that can be read", "check the path") from None


def read_study_file(path: Path) -> tuple[StudySpec, Mapping[str, Any]]:
    """The study and the object it was read from, or BadInput; a study without a training is refused."""
    try:
        size = path.stat().st_size if path.is_file() else 0
    except (OSError, ValueError):  # a name that no file can have
        raise BadInput("Study file", repr(str(path)[:60]), "the path of a study file", "check the path") from None
    if size > MAX_BYTES:
        raise BadInput("Study file", f"{size / 1e6:.1f} MB", f"at most {MAX_BYTES / 1e6:g} MB",
                       "give the study file, not the table")
    obj = decode(read_bytes(path, "Study file"), "Study file", MAX_BYTES)
    spec = parse_study(obj)
    if not spec.trainings:
        raise BadInput("trainings", "nothing to train", "at least one method", 'add "methods": ["erm"]')
    return spec, obj


def bring_table(spec: StudySpec, beside: Path, home: Path) -> StudySpec:
    """The study with its table kept in `home`, so that it loads from there; built-in sets stay as they are.

    A path is taken relative to the folder `beside`, where the study file lies. An upload is looked for in `home`,
    beside the study file, and in the app's data folder.
    """
    data = spec.data
    if data.source == "path":
        path = beside / data.path
        return replace(spec, data=save_upload(home, path.name, read_bytes(path, "data.path")))
    if data.source == "upload" and not any(upload_folder(home, data).glob("[!.]*")):
        for path in _places(data, beside):
            if path.is_file() and digest(content := path.read_bytes()) == data.digest:
                save_upload(home, path.name, content)
                break
        else:
            raise BadInput("data", f"the uploaded table {data.name}, which is not here", "the file as it was uploaded",
                           f"put it beside the study file as {Path(data.name).name}")
    return spec


def seen_from(out: Path, data: DataSpec, study_file: Path) -> DataSpec:
    """Where the table lies for a study file in the folder `out`."""
    if data.source != "path":
        return data
    path = study_file.resolve().parent / data.path
    relative = not Path(data.path).is_absolute()
    return replace(data, path=os.path.relpath(path, out.resolve()) if relative else path.as_posix())


def _places(data: DataSpec, beside: Path) -> list[Path]:
    app = Path(os.environ.get("COUNTERWEIGHT_HOME") or ROOT / ".counterweight")
    return [beside / Path(data.name).name, *sorted(upload_folder(app, data).glob("[!.]*"))]


def settle_groups(spec: StudySpec, obj: Mapping[str, Any], home: Path) -> StudySpec:
    """Where a study file names roles but no groups, the attributes are cut as the app suggests (ages at 40 ...)."""
    if spec.roles is None:
        raise BadInput("roles", "nothing", "at least a label", 'add "roles": {"label": "COLUMN", "positive": "WORD"}')
    if obj.get("groups") is not None or obj.get("roles") is None:
        return spec
    return replace(spec, groups=suggest_groups(load_dataset(spec, home)))
