"""A whole study as one zip file, and back: the study file, the uploaded table, jobs, runs and their arrays.

    study.json          the study file
    runs.json           {"format", "jobs": [{"spec", "snapshot"}], "runs": [...]}
    upload/<name>       the uploaded table, byte for byte
    artefacts/<cohort>/<history|val|test|weights>.safetensors

Nothing in it can run code. What comes in is checked member by member before anything of it is kept: names, sizes,
fields, and the dtype, shape and values of every array. Checkpoints stay behind: a training that was not finished
begins its cohort anew.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from core import registry
from core.data.load import save_upload, upload_folder
from core.fields import Fields, at, decode, scalar
from core.jobs.arrays import check_arrays
from core.store.artefacts import NAME, cohort_folder
from core.store.base import Store
from core.study import dump_study, dump_train, parse_study, parse_train
from core.types import RUN_STATES, BadInput, DataSpec, JobSnapshot, RunRecord, StudySpec, TrainSpec

FORMAT = "counterweight-bundle/1"
TITLE = "Bundle"
KINDS = ("history", "val", "test", "weights")
MAX_MEMBERS = 60_000
MAX_TOTAL = 4 * 2**30
MAX_STUDY, MAX_RUNS = 4_000_000, 100_000_000
MEMBER = re.compile(
    r"study\.json|runs\.json|upload/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}"
    rf"|artefacts/[A-Za-z0-9_-]{{1,120}}/(?:{'|'.join(KINDS)})\.safetensors"
)
JOB_STATES = ("queued", "preparing", "running", "finished", "failed", "cancelled", "interrupted")
WHEN = (1980, 1, 1, 0, 0, 0)  # the same study, the same bytes


# ---------------------------------------------------------------- out


def export_bundle(store: Store, home: Path, study: str) -> bytes:
    """The zip file of a study. Arrays are as they are at this moment; a running job is exported as far as it is."""
    spec = store.study(study).spec
    runs, jobs = store.runs(study), store.jobs(study)
    told = {
        "format": FORMAT,
        "jobs": [{"spec": dump_train(store.job_spec(job.id)), "snapshot": asdict(job)} for job in jobs],
        "runs": [asdict(run) | {"settings": dict(run.settings)} for run in runs],
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        _add(file, "study.json", json.dumps(dump_study(spec), indent=1, allow_nan=False).encode())
        _add(file, "runs.json", json.dumps(told, allow_nan=False).encode())
        if spec.data.source == "upload":
            kept = sorted(upload_folder(home, spec.data).glob("[!.]*"))
            for path in kept[:1]:
                _add(file, f"upload/{path.name}", path.read_bytes())
        for cohort in dict.fromkeys(run.cohort for run in runs):
            for kind in KINDS:
                path = cohort_folder(home, study, cohort) / f"{kind}.safetensors"
                if path.is_file():
                    _add(file, f"artefacts/{cohort}/{kind}.safetensors", path.read_bytes())
    return out.getvalue()


def _add(file: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, WHEN)
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
    file.writestr(info, content)


# ---------------------------------------------------------------- in


def import_bundle(store: Store, home: Path, content: bytes) -> str:
    """Keep a bundle as a new study and return its id. Run keys and all numbers stay; ids are new.

    Raises:
        BadInput: anything that is not a bundle as this app writes it; nothing of it is kept then.
    """
    place = Path(home) / "imports"
    place.mkdir(parents=True, exist_ok=True)
    with _plain_errors(), zipfile.ZipFile(io.BytesIO(content)) as file, tempfile.TemporaryDirectory(dir=place) as temp:
        members = _members(file)
        spec = parse_study(decode(_read(file, members, "study.json"), "study.json", MAX_STUDY))
        jobs, runs = _told(decode(_read(file, members, "runs.json"), "runs.json", MAX_RUNS))
        _unpack(file, members, Path(temp), {run.cohort for run in runs})
        check_arrays(Path(temp), runs)
        _keep_upload(file, members, spec.data, home)
        return _keep(store, home, Path(temp), spec, jobs, runs)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Whatever zipfile raises about a broken file becomes one sentence."""
    try:
        yield
    except BadInput:
        raise
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError) as broken:
        raise BadInput(TITLE, f"a zip file that cannot be read ({type(broken).__name__})", "a bundle as exported",
                       "export it again") from broken


def _members(file: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Members by name, all of them as this app names them and of bounded size."""
    found: dict[str, zipfile.ZipInfo] = {}
    infos = file.infolist()
    if len(infos) > MAX_MEMBERS or sum(info.file_size for info in infos) > MAX_TOTAL:
        raise BadInput(TITLE, f"{len(infos):,} files that unpack to more than this server takes",
                       f"at most {MAX_TOTAL >> 30} GiB", "export a smaller study")
    for info in infos:
        plain = MEMBER.fullmatch(info.filename) and info.filename not in found
        if not plain or info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadInput(TITLE, f"a file {info.filename[:60]!r} in it", "the files of an exported study",
                           "choose a bundle that this app exported")
        found[info.filename] = info
    return found


def _read(file: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], name: str) -> bytes:
    if name not in members:
        raise BadInput(TITLE, f"no {name} in it", "the files of an exported study", "choose an exported bundle")
    if members[name].file_size > MAX_RUNS:
        raise BadInput(TITLE, f"a {name} of {members[name].file_size:,} bytes", f"at most {MAX_RUNS:,}",
                       "export a smaller study")
    return file.read(members[name])


def _unpack(file: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], folder: Path, cohorts: set[str]) -> None:
    """Write the arrays below folder/<cohort>/; every member's name was checked."""
    for name, info in members.items():
        if not name.startswith("artefacts/"):
            continue
        _, cohort, kind = name.split("/")
        if cohort not in cohorts:
            raise BadInput(TITLE, f"arrays of {cohort[:60]!r} without its runs", "arrays of runs", "export it again")
        (folder / cohort).mkdir(exist_ok=True)
        with file.open(info) as source, (folder / cohort / kind).open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)


def _keep_upload(file: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], data: DataSpec, home: Path) -> None:
    """Keep the uploaded table where the study names one and the bundle holds it."""
    names = [name for name in members if name.startswith("upload/")]
    if data.source != "upload" or not names:
        return
    content = file.read(members[names[0]])
    if len(names) > 1 or hashlib.sha256(content).hexdigest() != data.digest:
        raise BadInput(TITLE, "another table than was trained on", "the table of the study", "export it again")
    save_upload(home, Path(names[0]).name, content)


def _told(obj: Mapping[str, Any]) -> tuple[list[tuple[TrainSpec, JobSnapshot]], list[RunRecord]]:
    """Jobs and runs of runs.json, strictly read."""
    top = Fields(obj, "runs.json", ("format", "jobs", "runs"))
    if top.text("format") != FORMAT:
        raise BadInput("runs.json.format", repr(obj["format"]), repr(FORMAT), "import it with a newer version")
    jobs = []
    for where, given in top.items("jobs", 10_000):
        own = Fields(given, where, ("spec", "snapshot"))
        train = parse_train(own.obj.get("spec", {}), at(where, "spec"))
        jobs.append((train, _snapshot(own.child("snapshot", [f.name for f in fields(JobSnapshot)]))))
    columns = [f.name for f in fields(RunRecord)]
    runs = [_run(Fields(given, where, columns)) for where, given in top.items("runs", 500_000)]
    known = [job.id for _, job in jobs]
    places = {(run.cohort, run.position) for run in runs}
    if len(set(known)) < len(known) or len(places) < len(runs):
        raise BadInput("runs.json", "a job or run twice", "each once", "export it again")
    for run in runs:
        if run.job not in known or not run.cohort.startswith(f"{run.job}-"):
            raise BadInput("runs.json", f"a run of a job {run.job[:60]!r}", "runs of its own jobs", "export it again")
    return jobs, runs


def _state(own: Fields, known: tuple[str, ...]) -> str:
    state = own.text("state")
    if state not in known:
        raise BadInput(at(own.where, "state"), repr(state), ", ".join(known), "export it again")
    return "interrupted" if state in ("queued", "preparing", "running") else state


def _snapshot(own: Fields) -> JobSnapshot:
    """A job as it was; one that was not at its end is interrupted."""
    plain = JobSnapshot("", "", "finished")
    whole = {name: own.whole(name, 0, 0, 10**9) for name in ("version", "n_runs", "finished", "diverged", "failed")}
    times = {name: own.number(name, getattr(plain, name)) for name in ("done", "total", "created", "started", "ended")}
    return JobSnapshot(
        id=_ident(own, "id"), study="", state=_state(own, JOB_STATES), message=own.text("message", "", 4000),
        device=own.text("device", ""), log=tuple(text[:4000] for text in own.texts("log")), **whole, **times,
    )  # fmt: skip


def _run(own: Fields) -> RunRecord:
    settings = own.child("settings", None)
    return RunRecord(
        key=own.text("key", filled=True, limit=64), study="", job=_ident(own, "job"), cohort=_ident(own, "cohort"),
        position=own.whole("position", None, 0, 10**6),
        method=registry.method(own.text("method", filled=True, limit=64)).name,
        settings={k: scalar(v, at(settings.where, k)) for k, v in settings.obj.items()},
        seed=own.whole("seed", None, 0, 2**31 - 1), net=own.text("net", limit=64), state=_state(own, RUN_STATES),
        parent=own.text("parent", "", 64), note=own.text("note", "", 4000),
    )  # fmt: skip


def _ident(own: Fields, name: str) -> str:
    found = own.text(name, limit=120)
    if not NAME.fullmatch(found):
        raise BadInput(at(own.where, name), repr(found[:60]), "letters, digits, - and _", "export it again")
    return found


def _keep(
    store: Store, home: Path, folder: Path, spec: StudySpec, jobs: list[tuple[TrainSpec, JobSnapshot]],
    runs: list[RunRecord],
) -> str:  # fmt: skip
    """Put everything into the store under new ids; all of it or nothing."""
    study = store.create_study(spec)
    try:
        renamed: dict[str, str] = {}
        for train, snapshot in jobs:
            renamed[snapshot.id] = store.add_job(study, train)
            store.put_job(replace(snapshot, id=renamed[snapshot.id], study=study))
        cohorts = {run.cohort: renamed[run.job] + run.cohort[len(run.job) :] for run in runs}
        for old, new in cohorts.items():
            if (folder / old).is_dir():
                target = cohort_folder(home, study, new)
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(folder / old, target)
        store.add_runs([replace(r, study=study, job=renamed[r.job], cohort=cohorts[r.cohort]) for r in runs])
    except BaseException:
        store.delete_study(study)
        raise
    return study
