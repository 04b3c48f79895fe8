"""The store over SQLAlchemy (a SQLite file in WAL mode unless told otherwise) and safetensors files."""

from __future__ import annotations

import logging
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from core.store import artefacts
from core.store.base import NotFound, StoreError, StudyRow
from core.store.database import failed, jobs, open_engine, reading, runs, studies
from core.study import dump_study, dump_train, parse_study, parse_train
from core.types import RUN_STATES, BadInput, History, JobSnapshot, RunRecord, Scores, StudySpec, TrainSpec

if TYPE_CHECKING:  # torch takes a second to import
    from torch import Tensor

LOG = logging.getLogger(__name__)
RESULTS = ("finished", "diverged")


def new_id() -> str:
    """An id that nobody can guess (96 random bits), usable in paths, links and styles."""
    return secrets.token_hex(12)


class SqlStore:
    """Studies, jobs, runs and their arrays: see core.store.base.Store, which says what each call does.

    Args:
        home: the data folder; made where it is missing.
        url: SQLAlchemy address of the database; home/counterweight.db without one. Arrays always lie in home.
    """

    def __init__(self, home: Path, url: str | None = None) -> None:
        self.home = Path(home)
        try:
            self.home.mkdir(parents=True, exist_ok=True)
        except OSError as wrong:
            raise StoreError("Data folder", f"{self.home} ({wrong.strerror})", "a folder that can be written",
                             "choose another one with COUNTERWEIGHT_HOME") from wrong
        self.engine = open_engine(self.home, url)
        self._writer = self.engine.execution_options(write=True)
        self._study_of: dict[str, str] = {}  # cohort -> study, which never changes

    def close(self) -> None:
        """Give back all connections."""
        self.engine.dispose()

    @contextmanager
    def _write(self, study: str | None = None) -> Iterator[Connection]:
        """A transaction that also says that `study` changed; NotFound where there is no such study."""
        try:
            with self._writer.begin() as connection:
                if study is not None:
                    change = {"version": studies.c.version + 1, "updated": time.time()}
                    touched = connection.execute(update(studies).where(studies.c.id == study).values(**change))
                    if touched.rowcount == 0:
                        raise NotFound("Study", study)
                yield connection
        except SQLAlchemyError as wrong:
            raise failed(wrong) from wrong

    # ------------------------------------------------------------ studies

    def create_study(self, spec: StudySpec) -> str:
        ident, now = new_id(), time.time()
        row = {"id": ident, "name": spec.name, "spec": _checked(spec), "created": now, "updated": now, "version": 0}
        with self._write() as connection:
            connection.execute(insert(studies).values(**row))
        return ident

    def studies(self) -> list[StudyRow]:
        with reading(self.engine) as connection:
            rows = connection.execute(select(studies).order_by(studies.c.updated.desc())).all()
        found = []
        for row in rows:
            try:
                found.append(_study_row(row))
            except BadInput as wrong:
                LOG.warning("study %s cannot be read: %s", row.id, wrong)
        return found

    def study(self, ident: str) -> StudyRow:
        with reading(self.engine) as connection:
            row = connection.execute(select(studies).where(studies.c.id == ident)).first()
        if row is None:
            raise NotFound("Study", ident)
        return _study_row(row)

    def update_study(self, ident: str, spec: StudySpec) -> None:
        with self._write(ident) as connection:
            new = update(studies).where(studies.c.id == ident).values(name=spec.name, spec=_checked(spec))
            connection.execute(new)

    def rename_study(self, ident: str, name: str) -> None:
        with self._write(ident) as connection:
            row = connection.execute(select(studies).where(studies.c.id == ident)).one()
            spec = _checked(replace(_study_row(row).spec, name=name))
            connection.execute(update(studies).where(studies.c.id == ident).values(name=name, spec=spec))

    def delete_study(self, ident: str) -> None:
        folder = artefacts.cohort_folder(self.home, ident)
        with self._write() as connection:
            for table in (runs, jobs):
                connection.execute(delete(table).where(table.c.study == ident))
            connection.execute(delete(studies).where(studies.c.id == ident))
        shutil.rmtree(folder, ignore_errors=True)

    def version(self, study: str) -> str:
        with reading(self.engine) as connection:
            row = connection.execute(select(studies.c.created, studies.c.version).where(studies.c.id == study)).first()
        return f"{row.created:.6f}-{row.version}" if row else ""

    # ------------------------------------------------------------ jobs

    def add_job(self, study: str, train: TrainSpec, owner: str = "") -> str:
        ident = new_id()
        snapshot = JobSnapshot(id=ident, study=study, state="queued", created=time.time(), message="Waiting.")
        row = {"id": ident, "study": study, "spec": dump_train(train), "snapshot": asdict(snapshot), "owner": owner}
        with self._write(study) as connection:
            connection.execute(insert(jobs).values(**row))
        return ident

    def _job_row(self, ident: str) -> Row:
        with reading(self.engine) as connection:
            row = connection.execute(select(jobs).where(jobs.c.id == ident)).first()
        if row is None:
            raise NotFound("Job", ident)
        return row

    def job(self, ident: str) -> JobSnapshot:
        return _snapshot(self._job_row(ident).snapshot)

    def job_spec(self, ident: str) -> TrainSpec:
        return parse_train(self._job_row(ident).spec)

    def job_owner(self, ident: str) -> str:
        return self._job_row(ident).owner

    def jobs(self, study: str | None = None) -> list[JobSnapshot]:
        wanted = select(jobs.c.snapshot).order_by(jobs.c.number)
        with reading(self.engine) as connection:
            rows = connection.execute(wanted if study is None else wanted.where(jobs.c.study == study)).all()
        return [_snapshot(row.snapshot) for row in rows]

    def put_job(self, snapshot: JobSnapshot, owner: str | None = None) -> None:
        values: dict[str, Any] = {"snapshot": asdict(snapshot)} | ({} if owner is None else {"owner": owner})
        with self._write(snapshot.study) as connection:
            done = connection.execute(update(jobs).where(jobs.c.id == snapshot.id).values(**values))
            if done.rowcount == 0:
                raise NotFound("Job", snapshot.id)

    # ------------------------------------------------------------ runs

    def add_runs(self, new: Iterable[RunRecord]) -> None:
        by_study: dict[str, list[RunRecord]] = {}
        for record in new:
            artefacts.cohort_folder(self.home, record.study, record.cohort)
            by_study.setdefault(record.study, []).append(record)
        for study, records in by_study.items():
            with self._write(study) as connection:
                place = (runs.c.cohort == bindparam("c")) & (runs.c.position == bindparam("p"))
                connection.execute(delete(runs).where(place), [{"c": r.cohort, "p": r.position} for r in records])
                connection.execute(insert(runs), [asdict(r) | {"settings": dict(r.settings)} for r in records])

    def set_run_states(self, cohort: str, states: Sequence[tuple[int, str, str]]) -> None:
        wrong = next((state for _, state, _ in states if state not in RUN_STATES), None)
        if wrong is not None:
            raise StoreError("State of a run", repr(wrong), ", ".join(RUN_STATES), "use one of them")
        with self._write(self._study(cohort)) as connection:
            place = (runs.c.cohort == cohort) & (runs.c.position == bindparam("p"))
            if states:
                connection.execute(update(runs).where(place).values(state=bindparam("s"), note=bindparam("t")),
                                   [{"p": p, "s": s, "t": t} for p, s, t in states])

    def runs(self, study: str, job: str | None = None) -> list[RunRecord]:
        wanted = select(runs).where(runs.c.study == study).order_by(runs.c.number)
        with reading(self.engine) as connection:
            rows = connection.execute(wanted if job is None else wanted.where(runs.c.job == job)).all()
        return [_record(row) for row in rows]

    def run(self, study_or_key: str, key: str | None = None) -> RunRecord:
        wanted = select(runs).where(runs.c.key == (study_or_key if key is None else key))
        if key is not None:
            wanted = wanted.where(runs.c.study == study_or_key)
        with reading(self.engine) as connection:
            rows = connection.execute(wanted.order_by(runs.c.number)).all()
        if not rows:
            raise NotFound("Run", study_or_key if key is None else key)
        return _record(max(rows, key=lambda row: (row.state in RESULTS, row.number)))

    # ------------------------------------------------------------ arrays

    def _study(self, cohort: str) -> str:
        if cohort not in self._study_of:
            with reading(self.engine) as connection:
                found = connection.execute(select(runs.c.study).where(runs.c.cohort == cohort).limit(1)).scalar()
            if found is None:
                raise NotFound("Cohort", cohort)
            self._study_of[cohort] = found
        return self._study_of[cohort]

    def _folder(self, cohort: str) -> Path:
        return artefacts.cohort_folder(self.home, self._study(cohort), cohort)

    def _put(self, cohort: str, save: Callable[[Path], None]) -> None:
        """Write the file, then say that the study changed. A study deleted meanwhile leaves no file behind."""
        study, folder = self._study(cohort), self._folder(cohort)
        save(folder)
        try:
            with self._write(study):
                pass
        except NotFound:
            shutil.rmtree(artefacts.cohort_folder(self.home, study), ignore_errors=True)
            raise

    def put_history(self, cohort: str, history: History) -> None:
        self._put(cohort, lambda folder: artefacts.save_history(folder, history))

    def history(self, cohort: str) -> History | None:
        return artefacts.load_history(self._folder(cohort))

    def put_scores(self, cohort: str, split: str, scores: Scores) -> None:
        self._put(cohort, lambda folder: artefacts.save_scores(folder, split, scores))

    def scores(self, cohort: str, split: str, positions: Sequence[int] | None = None) -> Scores | None:
        return artefacts.load_scores(self._folder(cohort), split, positions)

    def put_weights(self, cohort: str, weights: Mapping[str, Tensor]) -> None:
        self._put(cohort, lambda folder: artefacts.save_tensors(folder, "weights", weights))

    def weights(self, cohort: str) -> dict[str, Tensor]:
        return artefacts.load_tensors(self._folder(cohort), "weights") or {}

    def put_checkpoint(self, cohort: str, checkpoint: Mapping[str, Tensor]) -> None:
        self._put(cohort, lambda folder: artefacts.save_tensors(folder, "checkpoint", checkpoint))

    def checkpoint(self, cohort: str) -> dict[str, Tensor] | None:
        return artefacts.load_tensors(self._folder(cohort), "checkpoint")

    def drop_checkpoint(self, cohort: str) -> None:
        (self._folder(cohort) / "checkpoint.safetensors").unlink(missing_ok=True)


def _checked(spec: StudySpec) -> dict[str, Any]:
    """The study as JSON that is sure to be read again."""
    dumped = dump_study(spec)
    parse_study(dumped)
    return dumped


def _study_row(row: Row) -> StudyRow:
    spec = parse_study(row.spec)
    return StudyRow(row.id, spec.name, spec, row.created, row.updated)


def _snapshot(saved: Mapping[str, Any]) -> JobSnapshot:
    known: dict[str, Any] = {f.name: saved[f.name] for f in fields(JobSnapshot) if f.name in saved}
    return JobSnapshot(**known | {"log": tuple(known.get("log", ()))})


def _record(row: Row) -> RunRecord:
    return RunRecord(**{f.name: getattr(row, f.name) for f in fields(RunRecord)})
