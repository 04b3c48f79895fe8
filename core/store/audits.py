"""Audits that are kept: which table, which columns. One small JSON file each below home/audits; numbers are computed.

The table itself lies with the uploads, under its digest, so that the link of an audit shows the same numbers later.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.fields import Fields, decode
from core.store.artefacts import write_whole
from core.store.base import NotFound
from core.study import dump_study, parse_study
from core.types import AuditSpec, BadInput, DataSpec, StudySpec

FORMAT = "counterweight-audit/1"
MAX_BYTES = 200_000
IDENT = re.compile(r"[A-Za-z0-9_-]{6,40}")
SCORE_KINDS, MISSING = ("probability", "logit", "points"), ("group", "exclude")


@dataclass(frozen=True)
class KeptAudit:
    """id: unguessable. title: words for people. data: the table. spec: its columns, or None before they were chosen.
    created: seconds since 1970."""

    id: str
    title: str
    data: DataSpec
    spec: AuditSpec | None
    created: float


def add_audit(home: Path, title: str, data: DataSpec, spec: AuditSpec | None = None) -> KeptAudit:
    """Keep a new audit."""
    kept = KeptAudit(secrets.token_urlsafe(9), title, data, spec, time.time())
    _write(home, kept)
    return kept


def update_audit(home: Path, ident: str, *, title: str | None = None, spec: AuditSpec | None = None) -> KeptAudit:
    """Give an audit another title or other columns. Raises NotFound."""
    before = read_audit(home, ident)
    after = replace(before, title=before.title if title is None else title, spec=spec or before.spec)
    _write(home, after)
    return after


def read_audit(home: Path, ident: str) -> KeptAudit:
    """One audit. Raises NotFound where there is none, BadInput where its file is damaged."""
    path = _path(home, ident)
    if not path.is_file():
        raise NotFound("Audit", ident[:40])
    return parse_audit(ident, path.read_bytes())


def audits(home: Path) -> list[KeptAudit]:
    """All audits that can be read, newest first."""
    found = []
    for path in sorted((Path(home) / "audits").glob("*.json")):
        try:
            found.append(parse_audit(path.stem, path.read_bytes()))
        except (BadInput, OSError):  # a damaged one does not hide the others
            continue
    return sorted(found, key=lambda kept: -kept.created)


def forget_audit(home: Path, ident: str) -> None:
    """Delete an audit; the table stays with the uploads, because a study may use it."""
    _path(home, ident).unlink(missing_ok=True)


def parse_audit(ident: str, content: bytes) -> KeptAudit:
    """The audit of a file's bytes, every field checked. Raises BadInput."""
    top = Fields(decode(content, "Audit file", MAX_BYTES), "", ("format", "title", "created", "data", "spec"))
    if top.text("format") != FORMAT:
        raise BadInput("format", repr(top.obj["format"])[:60], repr(FORMAT), "make the audit again")
    data = parse_study({"name": "audit", "data": top.obj.get("data")}).data
    spec = parse_spec(top.child("spec", None).obj) if top.given("spec") else None
    return KeptAudit(ident, top.text("title", data.name), data, spec, top.number("created", 0.0))


def parse_spec(obj: Any) -> AuditSpec:
    """The columns of an audit as an object of JSON."""
    own = Fields(obj, "spec", tuple(asdict(AuditSpec())))
    first = AuditSpec()
    kind, missing = own.text("score_kind", first.score_kind), own.text("missing", first.missing)
    if kind not in SCORE_KINDS:
        raise BadInput("spec.score_kind", repr(kind), ", ".join(SCORE_KINDS), "use probability")
    if missing not in MISSING:
        raise BadInput("spec.missing", repr(missing), ", ".join(MISSING), "use group")
    level = own.number("level", first.level)
    if not 0.5 <= level < 1:
        raise BadInput("spec.level", f"{level:g}", "a number from 0.5 to below 1", "use 0.95")
    return AuditSpec(
        label=own.text("label", "", limit=1000), positive=own.text("positive", "", limit=1000),
        predictions=own.texts("predictions"), scores=own.texts("scores"), threshold=own.number("threshold", None),
        score_kind=kind, attributes=own.texts("attributes"), weight=own.text("weight", "", limit=1000),
        person=own.text("person", "", limit=1000), reference=own.words("reference"), missing=missing,
        min_n=own.whole("min_n", first.min_n, 0, 1_000_000), level=level)


def _write(home: Path, kept: KeptAudit) -> None:
    study = dump_study(StudySpec(name="audit", data=kept.data))
    obj = {"format": FORMAT, "title": kept.title, "created": kept.created, "data": study["data"],
           "spec": None if kept.spec is None else {**asdict(kept.spec), "reference": dict(kept.spec.reference)}}
    text = json.dumps(obj, ensure_ascii=False, indent=1)
    write_whole(_path(home, kept.id), lambda part: part.write_text(text, encoding="utf-8"))


def _path(home: Path, ident: str) -> Path:
    if not IDENT.fullmatch(ident):
        raise NotFound("Audit", ident[:40])
    return Path(home) / "audits" / f"{ident}.json"
