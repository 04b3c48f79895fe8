"""Review sessions: people who look at the same candidate models, mark them, weigh what matters, and agree or not.

Every mark and every set of weights has a version. Who writes says which version was seen; if somebody else (or the same
person in another window) has written meanwhile, nothing is written and `Conflict` tells what stands there. Locked
sessions take no marks. Records are only ever added. Safe from several threads and processes.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from core.store.base import NotFound, StoreError
from core.store.database import failed, reading, studies
from core.store.review_tables import make_review_tables, marks, people, records, sessions, weights
from core.types import BadInput

WEIGHTS = ("accuracy", "worst_group", "equal_approval", "false_alarms", "cost")
HEAVIEST = 10
MOST_TEXT = {"Name": 60, "Reason": 1000, "Title": 200}
MOST_PEOPLE = 500


class Conflict(StoreError):
    """Somebody wrote first; nothing was overwritten. seen: the version the writer knew; stands: the present one."""

    def __init__(self, what: str, seen: int, stands: int) -> None:
        self.seen, self.stands = seen, stands
        super().__init__(what, f"version {stands} where version {seen} was on the screen", "the newest version",
                         "look at what stands there now and decide again")


@dataclass(frozen=True)
class Session:
    """candidates: letter -> what it is (run key, title, rule), as JSON. host: the facilitator's key, a secret.
    version counts changes by the facilitator, changes counts every change of anybody."""

    id: str
    study: str
    title: str
    host: str
    candidates: Mapping[str, Mapping[str, Any]]
    locked: bool
    version: int
    changes: int
    created: float


@dataclass(frozen=True)
class Person:
    """key: the secret with which this person writes; empty when read by others."""

    id: str
    name: str
    key: str = ""


@dataclass(frozen=True)
class Mark:
    """One person's verdict on one candidate."""

    person: str
    candidate: str
    acceptable: bool
    reason: str
    version: int


@dataclass(frozen=True)
class Weighing:
    """What one person weighs how much, WEIGHTS -> 0 to 10."""

    person: str
    values: Mapping[str, float]
    version: int


@dataclass(frozen=True)
class Review:
    """A session with everything in it, read in one moment. records: newest last, each {"at": seconds, ...}."""

    session: Session
    people: tuple[Person, ...]
    marks: tuple[Mark, ...]
    weights: tuple[Weighing, ...]
    records: tuple[Mapping[str, Any], ...]

    def mark(self, person: str, candidate: str) -> Mark | None:
        """A person's verdict, None before it was given."""
        return next((m for m in self.marks if m.person == person and m.candidate == candidate), None)

    def weighing(self, person: str) -> Weighing | None:
        """A person's weights, None before they were given."""
        return next((w for w in self.weights if w.person == person), None)


class Reviews:
    """Review sessions in the database of a store (its `engine`)."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = engine.execution_options(write=True)
        make_review_tables(engine)

    @contextmanager
    def _write(self, session: str) -> Iterator[tuple[Connection, Row]]:
        """A transaction that holds the session's row, so that nobody locks it between the look and the write."""
        try:
            with self._writer.begin() as connection:
                change = update(sessions).where(sessions.c.id == session).values(changes=sessions.c.changes + 1)
                if connection.execute(change).rowcount == 0:
                    raise NotFound("Review session", session)
                yield connection, connection.execute(select(sessions).where(sessions.c.id == session)).one()
        except IntegrityError as wrong:
            raise BadInput("Name", "a name that somebody here has", "another name",
                           "add your surname or your role") from wrong
        except SQLAlchemyError as wrong:
            raise failed(wrong) from wrong

    def create(self, study: str, title: str, candidates: Mapping[str, Mapping[str, Any]]) -> Session:
        """Open a session on a study of the store. Raises NotFound, and BadInput where there is no candidate."""
        if not candidates:
            raise BadInput("Candidates", "none", "at least one model", "train models first")
        row: dict[str, Any] = {
            "id": secrets.token_urlsafe(9), "study": study, "title": _text("Title", title),
            "host": secrets.token_urlsafe(18), "candidates": {k: dict(v) for k, v in candidates.items()},
            "locked": False, "version": 0, "changes": 0, "created": time.time()}
        try:
            with self._writer.begin() as connection:
                if connection.execute(select(studies.c.id).where(studies.c.id == study)).first() is None:
                    raise NotFound("Study", study)
                connection.execute(insert(sessions).values(**row))
        except SQLAlchemyError as wrong:
            raise failed(wrong) from wrong
        return Session(**row)

    def of_study(self, study: str) -> list[Session]:
        """A study's sessions, newest first."""
        wanted = select(sessions).where(sessions.c.study == study).order_by(sessions.c.created.desc())
        with reading(self.engine) as connection:
            return [_session(row) for row in connection.execute(wanted)]

    def read(self, session: str) -> Review:
        """Everything of a session at one moment. Raises NotFound."""
        with reading(self.engine) as connection:
            row = connection.execute(select(sessions).where(sessions.c.id == session)).first()
            if row is None:
                raise NotFound("Review session", session)

            def of(table: Any) -> list[Row]:
                wanted = select(table).where(table.c.session == session)
                return list(connection.execute(wanted.order_by(table.c.number) if "number" in table.c else wanted))

            there = tuple(Person(p.id, p.name) for p in of(people))
            said = tuple(Mark(m.person, m.candidate, m.acceptable, m.reason, m.version) for m in of(marks))
            weighed = tuple(Weighing(w.person, w._mapping["values"], w.version) for w in of(weights))
            kept = tuple({"at": r.at, **r.content} for r in of(records))
        return Review(_session(row), there, said, weighed, kept)

    def changes(self, session: str) -> int:
        """A number that grows with every change; for looking often. Raises NotFound."""
        with reading(self.engine) as connection:
            found = connection.execute(select(sessions.c.changes).where(sessions.c.id == session)).scalar()
        if found is None:
            raise NotFound("Review session", session)
        return int(found)

    def join(self, session: str, name: str) -> Person:
        """Take part under a name. Raises BadInput for a name somebody has (capitals and spaces do not count), a locked
        session or a full one."""
        said = " ".join(_text("Name", name).split())
        new = Person(secrets.token_urlsafe(6), said, secrets.token_urlsafe(18))
        with self._write(session) as (connection, row):
            _open(row)
            there = connection.execute(select(func.count()).where(people.c.session == session)).scalar() or 0
            if there >= MOST_PEOPLE:
                raise BadInput("Participants", str(there), f"at most {MOST_PEOPLE}", "open another session")
            connection.execute(insert(people).values(session=session, id=new.id, key=new.key, name=said,
                                                     folded=said.casefold()))
        return new

    def person(self, session: str, key: str) -> Person | None:
        """Who writes with this key; None for nobody."""
        wanted = select(people).where((people.c.session == session) & (people.c.key == key))
        with reading(self.engine) as connection:
            row = connection.execute(wanted).first()
        return None if row is None else Person(row.id, row.name, row.key)

    def put_mark(self, session: str, key: str, candidate: str, acceptable: bool, reason: str, seen: int = 0) -> int:
        """Write a verdict; returns its version.

        Args:
            key: the person's secret. reason: needed where a candidate is not acceptable.
            seen: the version on the person's screen, 0 where there was none.
        Raises:
            Conflict, NotFound, and BadInput for a locked session, an unknown candidate or a missing reason.
        """
        said = _text("Reason", reason, empty=acceptable)
        with self._write(session) as (connection, row):
            _open(row)
            if candidate not in row.candidates:
                raise BadInput("Candidate", repr(candidate)[:40], ", ".join(row.candidates), "choose one of them")
            place = {"session": session, "person": _writes(connection, session, key), "candidate": candidate}
            return _replace(connection, marks, place, {"acceptable": bool(acceptable), "reason": said}, seen, "Mark")

    def put_weights(self, session: str, key: str, values: Mapping[str, float], seen: int = 0) -> int:
        """Write what a person weighs how much; returns its version. Raises as put_mark."""
        wrong = [k for k in WEIGHTS if not (isinstance(values.get(k), int | float) and 0 <= values[k] <= HEAVIEST)]
        if wrong or set(values) != set(WEIGHTS):
            raise BadInput("Weights", str(dict(values))[:80], f"0 to {HEAVIEST} for each of {', '.join(WEIGHTS)}",
                           "move the sliders")
        with self._write(session) as (connection, row):
            _open(row)
            place = {"session": session, "person": _writes(connection, session, key)}
            return _replace(connection, weights, place, {"values": dict(values)}, seen, "Weights")

    def set_locked(self, session: str, host: str, locked: bool, seen: int) -> int:
        """Close the session for marks, or open it again; the facilitator's key is needed. Returns the new version."""
        with self._write(session) as (connection, row):
            _hosts(row, host, seen)
            connection.execute(update(sessions).where(sessions.c.id == session)
                               .values(locked=locked, version=row.version + 1))
            return int(row.version) + 1

    def add_record(self, session: str, host: str, content: Mapping[str, Any], seen: int) -> int:
        """Lock the session and keep what came of it (JSON), in one step. Returns the new version."""
        with self._write(session) as (connection, row):
            _hosts(row, host, seen)
            connection.execute(insert(records).values(session=session, at=time.time(), content=dict(content)))
            connection.execute(update(sessions).where(sessions.c.id == session)
                               .values(locked=True, version=row.version + 1))
            return int(row.version) + 1


def _replace(connection: Connection, table: Any, place: Mapping[str, str], values: Mapping[str, Any], seen: int,
             what: str) -> int:
    """Write over exactly the version that was seen, else Conflict."""
    here = [table.c[name] == value for name, value in place.items()]
    stands = connection.execute(select(table.c.version).where(*here)).scalar() or 0
    if stands != seen:
        raise Conflict(what, seen, int(stands))
    if stands == 0:
        connection.execute(insert(table).values(dict(place) | dict(values) | {"version": 1}))
    else:
        connection.execute(update(table).where(*here).values(dict(values) | {"version": seen + 1}))
    return seen + 1


def _session(row: Row) -> Session:
    return Session(row.id, row.study, row.title, row.host, row.candidates, bool(row.locked), row.version, row.changes,
                   row.created)


def _open(row: Row) -> None:
    if row.locked:
        raise BadInput("Review session", "locked by the facilitator", "an open session", "ask the facilitator")


def _writes(connection: Connection, session: str, key: str) -> str:
    found = connection.execute(select(people.c.id).where((people.c.session == session) & (people.c.key == key)))
    ident = found.scalar()
    if ident is None:
        raise NotFound("Participant", "this link")
    return str(ident)


def _hosts(row: Row, host: str, seen: int) -> None:
    if not secrets.compare_digest(str(row.host).encode(), str(host).encode()):
        raise BadInput("Facilitator", "another key", "the facilitator's own link", "open the facilitator's link")
    if row.version != seen:
        raise Conflict("Review session", seen, int(row.version))


def _text(field: str, said: str, empty: bool = False) -> str:
    most, kept = MOST_TEXT[field], said.strip()
    if (not kept and not empty) or len(kept) > most or not kept.isprintable() and "\n" not in kept:
        raise BadInput(field, "nothing" if not kept else f"{len(kept)} characters", f"1 to {most} readable characters",
                       f"write {'a reason' if field == 'Reason' else 'it out'}")
    try:
        kept.encode()
    except UnicodeEncodeError as wrong:
        raise BadInput(field, "a broken character", "readable text", "type it again") from wrong
    return kept
