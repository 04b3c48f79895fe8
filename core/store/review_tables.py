"""The tables of review sessions, beside the studies they belong to: gone with the study, made when first used."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Engine,
    Float,
    ForeignKey,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.exc import SQLAlchemyError

from core.store.database import ID, failed, metadata


def _session() -> Column:
    return Column("session", ID, ForeignKey("review_sessions.id", ondelete="CASCADE"), primary_key=True)


sessions = Table(
    "review_sessions", metadata,
    Column("id", ID, primary_key=True),
    Column("study", ID, ForeignKey("studies.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("title", Text, nullable=False), Column("host", ID, nullable=False),
    Column("candidates", JSON, nullable=False), Column("locked", Boolean, nullable=False),
    Column("version", Integer, nullable=False), Column("changes", Integer, nullable=False),
    Column("created", Float, nullable=False),
)  # fmt: skip
people = Table(
    "review_people", metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("session", ID, ForeignKey("review_sessions.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("id", ID, nullable=False, unique=True), Column("key", ID, nullable=False, unique=True),
    Column("name", Text, nullable=False), Column("folded", Text, nullable=False),
    UniqueConstraint("session", "folded", name="review_names"),
)  # fmt: skip
marks = Table(
    "review_marks", metadata,
    _session(), Column("person", ID, primary_key=True), Column("candidate", ID, primary_key=True),
    Column("acceptable", Boolean, nullable=False), Column("reason", Text, nullable=False),
    Column("version", Integer, nullable=False),
)  # fmt: skip
weights = Table(
    "review_weights", metadata,
    _session(), Column("person", ID, primary_key=True), Column("values", JSON, nullable=False),
    Column("version", Integer, nullable=False),
)  # fmt: skip
records = Table(
    "review_records", metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("session", ID, ForeignKey("review_sessions.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("at", Float, nullable=False), Column("content", JSON, nullable=False),
)  # fmt: skip
TABLES = (sessions, people, marks, weights, records)


def make_review_tables(engine: Engine) -> None:
    """Make what is missing; another process may do the same at the same moment. Raises StoreError."""
    for attempt in range(2):
        try:
            with engine.execution_options(write=True).begin() as connection:
                metadata.create_all(connection, tables=list(TABLES))
            return
        except SQLAlchemyError as wrong:
            if attempt:
                raise failed(wrong) from wrong
