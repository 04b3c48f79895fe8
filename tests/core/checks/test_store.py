from __future__ import annotations

import pytest

from core.checks.store import CHECKS, failures
from core.store.sql import SqlStore


@pytest.fixture(params=["the data folder's file", "an address"])
def open_store(request, home):
    """Opens one storage again and again, as restarts and other processes do; all are closed at the end."""
    url = None if request.param == "the data folder's file" else f"sqlite:///{home / 'else where.db'}"
    opened = []

    def open_store():
        opened.append(SqlStore(home, url))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.mark.parametrize("check", CHECKS)
def test_sql_store_passes(check, open_store):
    CHECKS[check](open_store)


def test_a_forgetful_store_is_found_out(home):
    class Forgetful(SqlStore):
        def put_job(self, snapshot, owner=None):
            pass

        def version(self, study):
            return "1-1"

    found = {line.split(":")[0] for line in failures(lambda: Forgetful(home))}
    assert {"jobs", "version", "absent_is_told", "two_writers"} <= found
    assert found.isdisjoint({"studies", "runs", "arrays", "restart"})
