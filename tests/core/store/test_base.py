from __future__ import annotations

import inspect

from core.store.base import NotFound, Store, StoreError
from core.store.sql import SqlStore
from core.types import BadInput


def test_what_is_not_there_is_bad_input_and_a_failed_lookup():
    told = NotFound("Study", "x" * 500)
    assert isinstance(told, (BadInput, LookupError)) and isinstance(told, StoreError)
    assert str(told).startswith("Study: found 'xxx") and len(str(told)) < 200 and "\n" not in str(told)


def test_the_sql_store_offers_every_call_with_the_same_arguments():
    for name, call in vars(Store).items():
        if not name.startswith("_") and callable(call):
            wanted = list(inspect.signature(call).parameters)
            assert list(inspect.signature(getattr(SqlStore, name)).parameters)[: len(wanted)] == wanted, name
            assert call.__doc__, name
