from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text, update

from core.store.base import StoreError
from core.store.database import meta, open_engine


def test_sqlite_is_opened_for_many_readers_and_writers(home):
    engine = open_engine(home, None)
    with engine.connect() as connection:
        asked = {name: connection.execute(text(f"PRAGMA {name}")).scalar()
                 for name in ("journal_mode", "busy_timeout", "foreign_keys", "synchronous")}
    engine.dispose()
    assert asked == {"journal_mode": "wal", "busy_timeout": 20_000, "foreign_keys": 1, "synchronous": 1}
    assert (home / "counterweight.db").is_file()


def test_many_may_make_the_tables_at_once(home):
    with ThreadPoolExecutor(8) as pool:
        engines = list(pool.map(lambda _: open_engine(home, None), range(8)))
    for engine in engines:
        engine.dispose()


@pytest.mark.parametrize(("url", "word"), [
    ("no address", "Database address"), ("sqlite://", "in memory"), ("sqlite:///:memory:", "in memory"),
    ("nosuchdatabase://x/y", "Database address"), ("sqlite:////nowhere/at/all/x.db", "unable to open"),
])
def test_addresses_that_cannot_be_used_give_a_sentence(home, url, word):
    with pytest.raises(StoreError, match=word) as told:
        open_engine(home, url)
    assert "\n" not in str(told.value)


def test_a_file_that_is_no_database_gives_a_sentence(home):
    (home / "counterweight.db").write_bytes(b"this is not a database at all" * 100)
    with pytest.raises(StoreError, match="not a database"):
        open_engine(home, None)


def test_a_database_of_a_newer_program_is_left_alone(home):
    engine = open_engine(home, None)
    with engine.begin() as connection:
        connection.execute(update(meta).values(value="99"))
    engine.dispose()
    with pytest.raises(StoreError, match="update Counterweight"):
        open_engine(home, None)


def test_a_writer_waits_for_another_program(home):
    engine = open_engine(home, None)
    other = sqlite3.connect(home / "counterweight.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as pool:
        def write():
            with engine.execution_options(write=True).begin() as connection:
                return connection.execute(update(meta).values(value="1")).rowcount

        waiting = pool.submit(write)
        assert not waiting.done()
        other.execute("COMMIT")
        assert waiting.result(timeout=10) == 1
    other.close()
    engine.dispose()
