"""The store on SQLAlchemy: a SQLite file in WAL mode by default, any database address otherwise; arrays beside it."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Column, Float, ForeignKey, Integer, String, Text
from torch import Tensor

from core.store.artefacts import HISTORY, SCORES, Artefacts
from core.store.base import NotFound, StudyRow
from core.study import dump_study, dump_train, parse_study, parse_train
from core.types import BadInput, History, JobSnapshot, RunRecord, Scores, StudySpec, TrainSpec

META = sa.MetaData()
STUDIES = sa.Table(
    "studies", META,
    Column("id", String(40), primary_key=True), Column("name", String(200), nullable=False),
    Column("spec", Text, nullable=False), Column("created", Float, nullable=False),
    Column("updated", Float, nullable=False), Column("version", Integer, nullable=False, default=0),
)  # fmt: skip
OF_STUDY = {"ondelete": "CASCADE"}
JOBS = sa.Table(
    "jobs", META,
    Column("id", String(40), primary_key=True),
    Column("study", String(40), ForeignKey("studies.id", **OF_STUDY), nullable=False, index=True),
    Column("spec", Text, nullable=False), Column("state", String(20), nullable=False),
    Column("snapshot", Text, nullable=False), Column("created", Float, nullable=False),
)  # fmt: skip
RUNS = sa.Table(
    "runs", META,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("study", String(40), ForeignKey("studies.id", **OF_STUDY), nullable=False, index=True),
    Column("job", String(40), nullable=False, index=True), Column("cohort", String(60), nullable=False, index=True),
    Column("position", Integer, nullable=False), Column("key", String(40), nullable=False),
    Column("method", String(60), nullable=False), Column("settings", Text, nullable=False),
    Column("seed", Integer, nullable=False), Column("net", String(40), nullable=False),
    Column("state", String(20), nullable=False), Column("parent", String(40), nullable=False, default=""),
    Column("note", Text, nullable=False, default=""),
)  # fmt: skip
RUN_FIELDS = tuple(c.name for c in RUNS.columns if c.name != "id")
MAX_NAME = 120


def check_name(name: str) -> str:
    """A study's name without outer spaces: 1 to 120 characters."""
    name = " ".join(str(name).split())
    if not 1 <= len(name) <= MAX_NAME:
        raise BadInput("Name of the study", f"{len(name)} characters", f"1 to {MAX_NAME}", "choose a shorter name")
    return name


def _on_connect(connection, _record) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "busy_timeout=15000", "foreign_keys=ON", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


class SqlStore:
    """Implements core.store.base.Store. `home` holds the SQLite file and the arrays; `url` names another database."""

    def __init__(self, home: Path, url: str | None = None) -> None:
        self.home = Path(home)
        self.home.mkdir(parents=True, exist_ok=True)
        self.artefacts = Artefacts(self.home / "artefacts")
        self._studies: dict[str, str] = {}  # cohort -> study
        address = url or f"sqlite:///{self.home / 'counterweight.db'}"
        try:
            self.engine = sa.create_engine(address, pool_pre_ping=not address.startswith("sqlite"))
        except (sa.exc.ArgumentError, ModuleNotFoundError) as error:
            raise BadInput("Database address", repr(address.split("@")[-1]), "a SQLAlchemy URL whose driver is installed",
                           "leave COUNTERWEIGHT_DATABASE_URL empty to use a file") from error  # fmt: skip
        if self.engine.dialect.name == "sqlite":
            sa.event.listen(self.engine, "connect", _on_connect)
        try:
            META.create_all(self.engine)
        except sa.exc.OperationalError as error:
            if "already exists" not in str(error):  # another process made the tables at the same moment
                raise

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()

    def _touch(self, connection, study: str) -> None:
        query = sa.update(STUDIES).where(STUDIES.c.id == study)
        done = connection.execute(query.values(version=STUDIES.c.version + 1, updated=time.time()))
        if done.rowcount == 0:
            raise NotFound(study)

    def _change(self, study: str, *statements) -> None:
        with self.engine.begin() as connection:
            self._touch(connection, study)
            for statement in statements:
                connection.execute(statement)

    def _rows(self, query) -> Sequence[sa.Row]:
        with self.engine.connect() as connection:
            return connection.execute(query).fetchall()

    def _one(self, query, what: str) -> sa.Row:
        rows = self._rows(query)
        if not rows:
            raise NotFound(what)
        return rows[0]

    # ------------------------------------------------------------ studies

    def create_study(self, spec: StudySpec) -> str:
        """Keep a new study under an id that cannot be guessed."""
        ident, now = secrets.token_urlsafe(9).replace("-", "x").replace("_", "y"), time.time()
        text = json.dumps(dump_study(spec))
        with self.engine.begin() as connection:
            row = {
                "id": ident,
                "name": check_name(spec.name),
                "spec": text,
                "created": now,
                "updated": now,
                "version": 0,
            }
            connection.execute(sa.insert(STUDIES).values(**row))
        return ident

    def _study_row(self, row: sa.Row) -> StudyRow:
        return StudyRow(row.id, row.name, parse_study(json.loads(row.spec)), row.created, row.updated)

    def studies(self) -> list[StudyRow]:
        """All studies, the last changed first."""
        return [self._study_row(r) for r in self._rows(sa.select(STUDIES).order_by(STUDIES.c.updated.desc()))]

    def study(self, study: str) -> StudyRow:
        """One study; NotFound (a LookupError) where there is none."""
        return self._study_row(self._one(sa.select(STUDIES).where(STUDIES.c.id == study), study))

    def update_study(self, study: str, spec: StudySpec) -> None:
        """Replace a study's description (its name included)."""
        values = {"spec": json.dumps(dump_study(spec)), "name": check_name(spec.name)}
        self._change(study, sa.update(STUDIES).where(STUDIES.c.id == study).values(**values))

    def rename_study(self, study: str, name: str) -> None:
        """Give a study another name."""
        self.update_study(study, replace(self.study(study).spec, name=check_name(name)))

    def delete_study(self, study: str) -> None:
        """Remove a study, its jobs, runs and arrays. Deleting what is gone is no error."""
        with self.engine.begin() as connection:
            for table in (RUNS, JOBS):
                connection.execute(sa.delete(table).where(table.c.study == study))
            connection.execute(sa.delete(STUDIES).where(STUDIES.c.id == study))
        self.artefacts.drop_study(study)

    def version(self, study: str) -> str:
        """A token that changes whenever anything of the study changes; "" where it is gone."""
        rows = self._rows(sa.select(STUDIES.c.version).where(STUDIES.c.id == study))
        return str(rows[0].version) if rows else ""

    # ------------------------------------------------------------ jobs

    def add_job(self, study: str, train: TrainSpec) -> str:
        """Keep a training job, queued, under a new id."""
        ident = secrets.token_hex(6)
        snapshot = JobSnapshot(ident, study, "queued", created=time.time())
        row = {"id": ident, "study": study, "spec": json.dumps(dump_train(train)), "state": "queued",
               "snapshot": json.dumps(asdict(snapshot)), "created": snapshot.created}  # fmt: skip
        self._change(study, sa.insert(JOBS).values(**row))
        return ident

    @staticmethod
    def _snapshot(row: sa.Row) -> JobSnapshot:
        fields = json.loads(row.snapshot)
        return JobSnapshot(**{**fields, "log": tuple(fields["log"])})

    def job(self, job: str) -> JobSnapshot:
        """The last stored snapshot of a job."""
        return self._snapshot(self._one(sa.select(JOBS).where(JOBS.c.id == job), job))

    def job_spec(self, job: str) -> TrainSpec:
        """What a job was asked to train."""
        return parse_train(json.loads(self._one(sa.select(JOBS).where(JOBS.c.id == job), job).spec))

    def jobs(self, study: str | None = None) -> list[JobSnapshot]:
        """Jobs of one study or of all, oldest first."""
        query = sa.select(JOBS).order_by(JOBS.c.created, JOBS.c.id)
        return [self._snapshot(r) for r in self._rows(query if study is None else query.where(JOBS.c.study == study))]

    def put_job(self, snapshot: JobSnapshot) -> None:
        """Replace a job's snapshot."""
        values = {"snapshot": json.dumps(asdict(snapshot)), "state": snapshot.state}
        self._change(snapshot.study, sa.update(JOBS).where(JOBS.c.id == snapshot.id).values(**values))

    # ------------------------------------------------------------ runs

    def add_runs(self, runs: Sequence[RunRecord]) -> None:
        """Keep run records (all of one study)."""
        if not runs:
            return
        rows = [{f: getattr(r, f) for f in RUN_FIELDS} | {"settings": json.dumps(dict(r.settings))} for r in runs]
        with self.engine.begin() as connection:
            self._touch(connection, runs[0].study)
            connection.execute(sa.insert(RUNS), rows)

    def set_run_states(self, cohort: str, states: Sequence[tuple[int, str, str]]) -> None:
        """(position, state, note) of runs of a cohort; a note of "" leaves the note as it is."""
        if not states:
            return
        where = sa.and_(RUNS.c.cohort == cohort, RUNS.c.position == sa.bindparam("at"))
        study = self._one(sa.select(RUNS.c.study).where(RUNS.c.cohort == cohort).limit(1), cohort).study
        plain = [{"at": p, "state": s} for p, s, note in states if not note]
        noted = [{"at": p, "state": s, "note": note} for p, s, note in states if note]
        with self.engine.begin() as connection:
            self._touch(connection, study)
            if plain:
                connection.execute(sa.update(RUNS).where(where).values(state=sa.bindparam("state")), plain)
            if noted:
                both = {"state": sa.bindparam("state"), "note": sa.bindparam("note")}
                connection.execute(sa.update(RUNS).where(where).values(**both), noted)

    @staticmethod
    def _run(row: sa.Row) -> RunRecord:
        fields = {f: getattr(row, f) for f in RUN_FIELDS}
        return RunRecord(**{**fields, "settings": json.loads(row.settings)})

    def runs(self, study: str, job: str | None = None) -> list[RunRecord]:
        """Runs of a study (or of one of its jobs), in the order they were planned."""
        query = sa.select(RUNS).where(RUNS.c.study == study).order_by(RUNS.c.id)
        return [self._run(r) for r in self._rows(query if job is None else query.where(RUNS.c.job == job))]

    def run(self, study: str, key: str) -> RunRecord:
        """The newest run of a study with this key."""
        query = sa.select(RUNS).where(RUNS.c.study == study, RUNS.c.key == key).order_by(RUNS.c.id.desc())
        return self._run(self._one(query, key))

    # ------------------------------------------------------------ arrays

    def _study_of(self, cohort: str) -> str:
        """The study a cohort belongs to; it never changes, so it is asked once."""
        if cohort not in self._studies:
            query = sa.select(RUNS.c.study).where(RUNS.c.cohort == cohort).limit(1)
            self._studies[cohort] = self._one(query, cohort).study
        return self._studies[cohort]

    def put_history(self, cohort: str, history: History) -> None:
        """Replace the measurements of a cohort."""
        self.artefacts.put(self._study_of(cohort), cohort, "history", {k: getattr(history, k) for k in HISTORY})
        self._change(self._study_of(cohort))

    def history(self, cohort: str) -> History | None:
        """The measurements of a cohort, or None before the first."""
        return self.artefacts.history(self._study_of(cohort), cohort)

    def put_scores(self, cohort: str, split: str, scores: Scores) -> None:
        """Keep final scores of one split ("val" or "test")."""
        self.artefacts.put(self._study_of(cohort), cohort, f"scores-{split}", {k: getattr(scores, k) for k in SCORES})
        self._change(self._study_of(cohort))

    def scores(self, cohort: str, split: str, positions: Sequence[int] | None = None) -> Scores | None:
        """Final scores of a cohort's runs (or of those at `positions`), or None while it trains."""
        return self.artefacts.scores(self._study_of(cohort), cohort, split, positions)

    def put_weights(self, cohort: str, weights: Mapping[str, Tensor]) -> None:
        """Keep trained weights, leading axis models."""
        self.artefacts.put_tensors(self._study_of(cohort), cohort, "weights", weights)

    def weights(self, cohort: str) -> dict[str, Tensor]:
        """Trained weights; empty for methods that keep none."""
        return self.artefacts.tensors(self._study_of(cohort), cohort, "weights") or {}

    def put_checkpoint(self, cohort: str, checkpoint: Mapping[str, Tensor]) -> None:
        """Keep what a broken-off training needs to go on."""
        self.artefacts.put_tensors(self._study_of(cohort), cohort, "checkpoint", checkpoint)

    def checkpoint(self, cohort: str) -> dict[str, Tensor] | None:
        """The last checkpoint, or None."""
        return self.artefacts.tensors(self._study_of(cohort), cohort, "checkpoint")

    def drop_checkpoint(self, cohort: str) -> None:
        """Remove the checkpoint of a finished cohort."""
        self.artefacts.drop(self._study_of(cohort), cohort, "checkpoint")
