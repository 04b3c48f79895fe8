from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from core.checks.store import SPEC, TRAIN, example_history, example_runs, filled
from core.store.base import NotFound, StoreError
from core.store.sql import SqlStore
from core.types import BadInput

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def store(home):
    opened = SqlStore(home)
    yield opened
    opened.close()


def test_the_data_folder_is_made_where_it_is_missing(tmp_path):
    SqlStore(tmp_path / "a" / "b").close()
    assert (tmp_path / "a" / "b" / "counterweight.db").is_file()
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="Data folder"):
        SqlStore(tmp_path / "file" / "b")


def test_what_could_not_be_read_again_is_not_stored(store):
    with pytest.raises(BadInput, match="name"):
        store.create_study(replace(SPEC, name="n" * 500))
    with pytest.raises(BadInput, match="name"):
        store.create_study(replace(SPEC, name="broken \ud800"))
    assert store.studies() == []
    ident = store.create_study(SPEC)
    with pytest.raises(BadInput):
        store.rename_study(ident, "  ")
    assert store.study(ident).name == SPEC.name


def test_a_study_that_cannot_be_read_hides_no_other(store, caplog):
    good, bad = store.create_study(SPEC), store.create_study(SPEC)
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE studies SET spec = :s WHERE id = :i"), {"s": '{"nope": 1}', "i": bad})
    assert [row.id for row in store.studies()] == [good] and bad in caplog.text
    with pytest.raises(BadInput, match="nope"):
        store.study(bad)


def test_newest_change_comes_first(store):
    first, second = store.create_study(SPEC), store.create_study(SPEC)
    assert [row.id for row in store.studies()] == [second, first]
    store.rename_study(first, "again")
    assert [row.id for row in store.studies()] == [first, second]


def test_a_job_has_an_owner_while_someone_works_on_it(store):
    _, job, _ = filled(store)
    assert store.job_owner(job) == ""
    store.put_job(replace(store.job(job), state="running"), owner="me")
    store.put_job(store.job(job))
    assert store.job_owner(job) == "me"


def test_deleting_removes_files_and_only_those_of_the_study(store, home):
    one, _, cohort = filled(store)
    two, _, other = filled(store)
    store.put_history(cohort, example_history())
    store.put_history(other, example_history())
    store.delete_study(one)
    assert not (home / "artefacts" / one).exists() and (home / "artefacts" / two).is_dir()


def test_a_late_write_into_a_deleted_study_leaves_no_file(store, home):
    study, _, cohort = filled(store)
    store.put_history(cohort, example_history())
    store.delete_study(study)
    with pytest.raises(NotFound):
        store.put_history(cohort, example_history())
    assert not (home / "artefacts" / study).exists()


def test_paths_in_place_of_ids_are_refused(store):
    study, job, _ = filled(store)
    with pytest.raises(StoreError, match="^Id: "):
        store.delete_study("../..")
    with pytest.raises(StoreError, match="^Id: "):
        store.add_runs([replace(example_runs(study, job)[0], cohort="../../x")])


def test_states_that_do_not_exist_are_refused(store):
    _, _, cohort = filled(store)
    with pytest.raises(StoreError, match="State of a run"):
        store.set_run_states(cohort, [(0, "sleeping", "")])


def test_a_damaged_history_is_a_sentence_and_the_study_stays_readable(store, home):
    study, _, cohort = filled(store)
    store.put_history(cohort, example_history())
    next((home / "artefacts" / study).rglob("history.safetensors")).write_bytes(b"x" * 99)
    with pytest.raises(StoreError, match="damaged"):
        store.history(cohort)
    assert len(store.runs(study)) == 3


PROGRAM = """
import sys, json
from dataclasses import replace
from pathlib import Path
from core.store.sql import SqlStore
from core.types import MethodSpec, TrainSpec
store, study = SqlStore(Path(sys.argv[1])), sys.argv[2]
job = store.add_job(study, TrainSpec((MethodSpec("erm"),)))
print("ready", flush=True)
sys.stdin.readline()
for step in range(60):
    store.put_job(replace(store.job(job), done=float(step)))
print(json.dumps([job, "torch" in sys.modules]))
"""


def test_two_processes_write_at_once_and_lose_nothing(store, home):
    study = store.create_study(SPEC)
    before = int(store.version(study).rsplit("-", 1)[1])
    other = subprocess.Popen([sys.executable, "-c", PROGRAM, str(home), study], cwd=ROOT, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout.readline() == "ready\n"
    other.stdin.write("go\n")
    other.stdin.flush()
    mine = store.add_job(study, TRAIN)
    for step in range(60):
        store.put_job(replace(store.job(mine), done=float(step)))
    said, _ = other.communicate(timeout=60)
    job, torch_was_needed = json.loads(said)
    assert other.returncode == 0 and store.job(job).done == store.job(mine).done == 59.0
    assert int(store.version(study).rsplit("-", 1)[1]) - before == 2 * 61
    assert not torch_was_needed, "opening the store must not load torch"
