"""The tables, and a SQLAlchemy engine that suits several threads and processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    insert,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError, SQLAlchemyError

from core.store.base import StoreError

SCHEMA = 1
BUSY_SECONDS = 20
ID = String(64)

metadata = MetaData()
meta = Table("meta", metadata, Column("name", ID, primary_key=True), Column("value", Text, nullable=False))
studies = Table(
    "studies", metadata,
    Column("id", ID, primary_key=True), Column("name", Text, nullable=False), Column("spec", JSON, nullable=False),
    Column("created", Float, nullable=False), Column("updated", Float, nullable=False),
    Column("version", Integer, nullable=False),
)  # fmt: skip
jobs = Table(
    "jobs", metadata,
    Column("number", Integer, primary_key=True, autoincrement=True), Column("id", ID, unique=True, nullable=False),
    Column("study", ID, ForeignKey("studies.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("spec", JSON, nullable=False), Column("snapshot", JSON, nullable=False),
    Column("owner", ID, nullable=False),
)  # fmt: skip
runs = Table(
    "runs", metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("study", ID, ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("job", ID, nullable=False), Column("cohort", String(120), nullable=False),
    Column("position", Integer, nullable=False), Column("key", ID, nullable=False, index=True),
    Column("method", ID, nullable=False), Column("settings", JSON, nullable=False),
    Column("seed", Integer, nullable=False), Column("net", ID, nullable=False), Column("state", ID, nullable=False),
    Column("parent", ID, nullable=False), Column("note", Text, nullable=False),
    Index("runs_place", "cohort", "position", unique=True), Index("runs_study", "study", "job"),
)  # fmt: skip


def open_engine(home: Path, url: str | None) -> Engine:
    """An engine with its tables made.

    Args:
        home: the data folder; SQLite lies in home/counterweight.db where no url is given.
        url: a SQLAlchemy address of another database.
    Raises:
        StoreError: an address that cannot be used, a database that cannot be reached or is newer than this program.
    """
    try:
        address = make_url(url) if url else make_url(f"sqlite:///{(Path(home) / 'counterweight.db').resolve()}")
        sqlite = address.get_backend_name() == "sqlite"
        if sqlite and address.database in (None, "", ":memory:"):
            raise StoreError("Database address", "a database in memory", "a file or a server", "name a file")
        engine = create_engine(address, pool_size=8, max_overflow=32, pool_pre_ping=not sqlite)
        if sqlite:
            event.listen(engine, "connect", _on_connect)
            event.listen(engine, "begin", _on_begin)
        _make_tables(engine)
    except (ArgumentError, NoSuchModuleError, ImportError) as wrong:
        reason = str(wrong).splitlines()[0][:120]
        raise StoreError("Database address", reason, "an address such as postgresql+psycopg://user@host/name",
                         "correct it, or install the driver it names") from wrong
    except SQLAlchemyError as wrong:
        raise failed(wrong) from wrong
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that only reads; an error of the database is a StoreError."""
    try:
        with engine.begin() as connection:
            yield connection
    except SQLAlchemyError as wrong:
        raise failed(wrong) from wrong


def failed(error: SQLAlchemyError) -> StoreError:
    """One sentence for an error of the database."""
    reason = str(getattr(error, "orig", None) or error).splitlines()[0][:160]
    return StoreError("Database", reason, "a database that can be read and written", "check it and try again")


def _on_connect(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # transactions are begun by _on_begin, not by the driver
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    for attempt in range(50):  # the switch to WAL does not wait for the lock by itself
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            break
        except Exception as wrong:
            if attempt == 49 or "locked" not in str(wrong):
                raise
            time.sleep(0.1)
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _on_begin(connection: Any) -> None:
    """Writers take the lock at once: a reader that became a writer could not wait for another writer."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("write") else "BEGIN")


def _make_tables(engine: Engine) -> None:
    for attempt in range(2):
        try:
            with engine.execution_options(write=True).begin() as connection:
                metadata.create_all(connection)
                found = connection.execute(select(meta.c.value).where(meta.c.name == "schema")).scalar()
                if found is None:
                    connection.execute(insert(meta).values(name="schema", value=str(SCHEMA)))
            break
        except (OperationalError, SQLAlchemyError):  # another process made them at the same moment
            if attempt:
                raise
    if found is not None and int(found) > SCHEMA:
        raise StoreError("Database", f"one of version {found}", f"version {SCHEMA}", "update Counterweight")
