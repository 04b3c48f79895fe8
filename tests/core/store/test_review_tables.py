from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import inspect

from core.store.database import open_engine
from core.store.review_tables import TABLES, make_review_tables


def test_many_may_make_the_tables_at_once_in_a_database_that_was_there_before(home):
    engines = [open_engine(home, None) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(make_review_tables, engines))
    assert {table.name for table in TABLES} <= set(inspect(engines[0]).get_table_names())
    for engine in engines:
        engine.dispose()
