"""A twin differs from its run in one thing: it does not see the attributes."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from filled import fill

from core.jobs.queue import Jobs
from core.jobs.twins import SUFFIX, find_twin, hidden, twin_training
from core.store.sql import SqlStore
from core.types import BadInput


@pytest.fixture
def kept(tmp_path):
    study = fill(tmp_path)
    store = SqlStore(tmp_path)
    yield store, store.study(study), tmp_path
    store.close()


def train(store, home, study, spec):
    jobs = Jobs(store, home)
    job = jobs.submit(study, spec)
    until = time.monotonic() + 60
    while jobs.snapshot(job).live and time.monotonic() < until:
        time.sleep(0.05)
    state = jobs.snapshot(job)
    jobs.shutdown()
    assert state.state == "finished", state.message


def test_the_twin_is_found_once_it_is_trained_and_is_measured_on_the_same_rows(kept):
    store, row, home = kept
    run = next(r for r in store.runs(row.id) if r.method == "group_dro" and r.seed == 1)
    assert find_twin(store, row, run) is None
    other = store.create_study(hidden(row.spec))
    assert find_twin(store, row, run) == (store.study(other), None)
    spec = twin_training(store, run)
    assert spec.seeds == (1,) and [m.name for m in spec.methods] == ["group_dro"]
    train(store, home, other, spec)
    place, twin = find_twin(store, row, run)
    assert place.id == other and dict(twin.settings) == dict(run.settings) and twin.seed == 1
    mine, its = (store.scores(r.cohort, "test", [r.position]) for r in (run, twin))
    assert np.array_equal(mine.rows, its.rows) and not np.allclose(mine.score, its.score)
    seed = next(r for r in store.runs(row.id) if r.method == "group_dro" and r.seed == 0)
    assert find_twin(store, row, seed)[1] is None


def test_hidden_changes_nothing_but_what_the_models_see(kept):
    _, row, _ = kept
    found = hidden(row.spec)
    assert found.name.endswith(SUFFIX) and found.trainings == ()
    assert replace(found.roles, attributes_as_features=True) == row.spec.roles
    with pytest.raises(BadInput, match="Attributes"):
        hidden(found)
