"""What every store must keep to, whatever database lies beneath. Each check raises AssertionError with a hint.

A check gets `open_store()`, which opens the same storage anew each time, as another thread, another process or a
restarted server would. Ids are check names, for example "two_writers"; no check looks at the kind of store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import torch

from core.store.base import Store, StoreError
from core.types import (
    BadInput,
    Budget,
    DataSpec,
    History,
    MethodSpec,
    Roles,
    RunRecord,
    Scores,
    StudySpec,
    TrainSpec,
)

Open = Callable[[], Store]
TRAIN = TrainSpec((MethodSpec("erm", {"k": (1, 2.5, "words", True)}),), net_settings={"hidden": 8},
                  budget=Budget(lr=(0.1, 0.01)))
SPEC = StudySpec("Ünïcode study", DataSpec("builtin", "adult", {"n": 5}), Roles("y", "yes", ("sex",)),
                 trainings=(TRAIN,))


def example_runs(study: str, job: str, n: int = 3) -> list[RunRecord]:
    """n runs of one cohort."""
    return [RunRecord(f"{k:016x}", study, job, f"{job}-0", k, "erm", {"lr": 0.1 * k, "kind": "a"}, k, "mlp", "queued")
            for k in range(n)]


def example_history(runs: int = 3, evaluations: int = 2, seed: int = 0) -> History:
    """Random counts of 2 groups and 2 classes; the first run diverged."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, (evaluations, 3, runs, 2, 2, 2)).astype(float)
    counts[:, :, 0] = np.nan
    loss = rng.random((evaluations, 3, runs, 2, 2))
    state = np.full(runs, 2, np.int8)
    return History(np.arange(1, evaluations + 1, dtype=np.int64), counts, loss, state, np.full(runs, -1, np.int64),
                   np.ones((3, 2, 2)), np.ones((3, 2, 2)))


def example_scores(runs: int = 3, n: int = 7) -> Scores:
    """Distinct scores for every run."""
    score = (np.arange(runs * n, dtype=np.float32) / (runs * n)).reshape(runs, n)
    code = np.arange(n, dtype=np.int64) % 2
    return Scores(score, np.full((runs, 2), 0.5), code, 1 - code, np.ones(n, np.float32), np.arange(n))


def same_arrays(one: object, two: object) -> bool:
    """Whether two records of arrays hold the same dtypes, shapes and values."""
    pairs = [(getattr(one, name), getattr(two, name)) for name in one.__dataclass_fields__]  # type: ignore[attr-defined]
    return all(a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)


def filled(store: Store) -> tuple[str, str, str]:
    """A study with one job and three runs: (study, job, cohort)."""
    study = store.create_study(SPEC)
    job = store.add_job(study, TRAIN)
    store.add_runs(example_runs(study, job))
    return study, job, f"{job}-0"


def check_studies(open_store: Open) -> None:
    """Studies are kept as given, renamed, replaced, deleted; other studies do not notice."""
    store = open_store()
    other = store.create_study(replace(SPEC, name="other"))
    ident = store.create_study(SPEC)
    assert store.study(ident).spec == SPEC, "study(id).spec is what create_study was given"
    store.rename_study(ident, "New name")
    row = store.study(ident)
    assert row.name == row.spec.name == "New name" and row.spec == replace(SPEC, name="New name")
    store.update_study(ident, replace(SPEC, trainings=()))
    assert store.study(ident).spec.trainings == () and store.study(ident).updated >= row.updated
    assert {ident, other} <= {row.id for row in store.studies()}
    store.delete_study(ident)
    store.delete_study(ident)
    assert ident not in {row.id for row in store.studies()} and store.study(other).name == "other"
    assert len({store.create_study(SPEC) for _ in range(5)}) == 5 and len(ident) >= 16, "ids cannot be guessed"


def check_absent_is_told(open_store: Open) -> None:
    """Ids that are not there raise LookupError that is also BadInput, and never another error."""
    store = open_store()
    study, job, _ = filled(store)
    asks: list[Callable[[], object]] = [
        lambda: store.study("nobody"), lambda: store.update_study("nobody", SPEC), lambda: store.job("nobody"),
        lambda: store.rename_study("nobody", "x"), lambda: store.job_spec("nobody"), lambda: store.run("nobody"),
        lambda: store.run(study, "nobody"), lambda: store.add_job("nobody", TRAIN), lambda: store.history("nobody"),
        lambda: store.put_job(replace(store.job(job), id="nobody")), lambda: store.set_run_states("nobody", []),
        lambda: store.put_history("nobody", example_history()), lambda: store.add_runs(example_runs("nobody", "j")),
    ]  # fmt: skip
    for k, ask in enumerate(asks):
        try:
            ask()
        except LookupError as told:
            assert isinstance(told, BadInput), f"ask {k}: raise NotFound, which prints as a sentence"
        else:
            raise AssertionError(f"ask {k} about something absent raises NotFound")
    assert store.version("nobody") == "" and store.runs("nobody") == [] and store.jobs("nobody") == []


def check_jobs(open_store: Open) -> None:
    """Jobs keep what they train and their last snapshot, in the order they came."""
    store = open_store()
    study, job, _ = filled(store)
    later = store.add_job(study, replace(TRAIN, seeds=(5,)))
    snapshot = store.job(job)
    assert snapshot.live and snapshot.state == "queued" and snapshot.study == study and store.job_spec(job) == TRAIN
    new = replace(snapshot, state="running", version=4, done=2.5, total=10.0, seconds_left=1.5, log=("12:00 ü", "b"))
    store.put_job(new)
    assert store.job(job) == new, "a snapshot comes back equal"
    assert [j.id for j in store.jobs(study)] == [job, later]
    assert {job, later} <= {j.id for j in store.jobs()}


def check_runs(open_store: Open) -> None:
    """Runs keep their settings' types and order, change state, and are found by key."""
    store = open_store()
    study, job, cohort = filled(store)
    wanted = example_runs(study, job)
    assert store.runs(study) == wanted and store.runs(study, job) == wanted and store.runs(study, "x") == []
    store.set_run_states(cohort, [(0, "diverged", "at iteration 5"), (2, "finished", "")])
    states = [(run.state, run.note) for run in store.runs(study)]
    assert states == [("diverged", "at iteration 5"), ("queued", ""), ("finished", "")]
    again = replace(wanted[2], cohort=f"{job}-1", position=0)
    store.add_runs([again])
    assert store.run(study, again.key).cohort == cohort, "of two runs with one key the one with a result is found"
    assert store.run(wanted[1].key).key == wanted[1].key
    store.add_runs([replace(wanted[1], note="again")])
    assert len(store.runs(study)) == 4, "the same cohort and position is the same run"


def check_arrays(open_store: Open) -> None:
    """Histories, scores, weights and checkpoints come back bit for bit, scores by position too."""
    store = open_store()
    _, _, cohort = filled(store)
    assert store.history(cohort) is None and store.scores(cohort, "val") is None and store.weights(cohort) == {}
    assert store.checkpoint(cohort) is None
    for evaluations in (1, 2):
        store.put_history(cohort, example_history(evaluations=evaluations))
        assert same_arrays(example_history(evaluations=evaluations), store.history(cohort))
    scores = example_scores()
    store.put_scores(cohort, "val", scores)
    assert same_arrays(scores, store.scores(cohort, "val")) and store.scores(cohort, "test") is None
    part = store.scores(cohort, "val", [2, 0])
    assert part is not None and np.array_equal(part.score, scores.score[[2, 0]]) and len(part.y) == 7
    tensors = {"layer.w": torch.arange(6.0).reshape(3, 2).T, "n": torch.tensor(3), "i": torch.tensor([1, 2])}
    store.put_weights(cohort, tensors)
    store.put_checkpoint(cohort, tensors)
    for found in (store.weights(cohort), store.checkpoint(cohort)):
        assert found is not None and found.keys() == tensors.keys()
        assert all(torch.equal(found[k], t) and found[k].dtype == t.dtype for k, t in tensors.items())
    store.drop_checkpoint(cohort)
    store.drop_checkpoint(cohort)
    assert store.checkpoint(cohort) is None


def check_version(open_store: Open) -> None:
    """Every change gives the study a new version, seen by others; reading and other studies' changes do not."""
    store, other = open_store(), open_store()
    study, job, cohort = filled(store)
    changes: list[Callable[[], object]] = [
        lambda: store.update_study(study, SPEC), lambda: store.rename_study(study, "x"),
        lambda: store.put_job(replace(store.job(job), done=0.5)), lambda: store.add_job(study, TRAIN),
        lambda: store.set_run_states(cohort, [(0, "running", "")]),
        lambda: store.put_history(cohort, example_history()),
        lambda: store.put_scores(cohort, "test", example_scores()),
        lambda: store.put_weights(cohort, {"w": torch.ones(1)}),
    ]  # fmt: skip
    seen = [store.version(study)]
    for change in changes:
        change()
        seen.append(other.version(study))
    assert len(set(seen)) == len(seen), "a change left the version as it was"
    filled(store)
    store.runs(study), store.history(cohort), store.study(study)
    assert other.version(study) == seen[-1], "nothing of this study changed"


def check_restart(open_store: Open) -> None:
    """Everything is there for one who opens the storage anew."""
    study, job, cohort = filled(open_store())
    open_store().put_history(cohort, example_history())
    again = open_store()
    assert again.study(study).spec == SPEC and again.job_spec(job) == TRAIN and len(again.runs(study)) == 3
    assert same_arrays(example_history(), again.history(cohort))


def check_two_writers(open_store: Open) -> None:
    """Several stores and threads that write at once lose nothing and fail never."""
    stores = [open_store(), open_store()]
    study = stores[0].create_study(SPEC)
    wrong: list[BaseException] = []

    def write(k: int) -> None:
        try:
            store = stores[k % 2]
            job = store.add_job(study, TRAIN)
            store.add_runs(example_runs(study, job))
            for step in range(6):
                before = store.version(study)
                store.put_job(replace(store.job(job), done=float(step)))
                assert store.version(study) != before, "a change by two at one moment left the version as it was"
                store.put_history(f"{job}-0", example_history(seed=step))
                found = stores[1 - k % 2].history(f"{job}-0")
                assert found is not None and same_arrays(found, example_history(seed=step)), "half a file was read"
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=write, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, f"a writer failed: {wrong[0]!r}"
    assert len(stores[0].jobs(study)) == 4 and len(stores[1].runs(study)) == 12


def check_delete_is_whole(open_store: Open) -> None:
    """A deleted study takes its jobs, runs and arrays along, and late writes of its jobs are refused."""
    store, other = open_store(), open_store()
    study, job, cohort = filled(store)
    other.put_history(cohort, example_history())
    store.delete_study(study)
    for late in (lambda: other.put_history(cohort, example_history()),
                 lambda: other.set_run_states(cohort, [(0, "finished", "")])):
        try:
            late()
        except StoreError:
            continue
        raise AssertionError("a write into a deleted study is refused with NotFound")
    assert store.runs(study) == [] and job not in {j.id for j in store.jobs()}


CHECKS: Mapping[str, Callable[[Open], None]] = {
    "studies": check_studies,
    "absent_is_told": check_absent_is_told,
    "jobs": check_jobs,
    "runs": check_runs,
    "arrays": check_arrays,
    "version": check_version,
    "restart": check_restart,
    "two_writers": check_two_writers,
    "delete_is_whole": check_delete_is_whole,
}


def failures(open_store: Open) -> Iterator[str]:
    """Findings, "check: what is wrong", for every check that the store does not pass."""
    for name, check in CHECKS.items():
        try:
            check(open_store)
        except Exception as wrong:  # any error of a store is a finding about that store
            yield f"{name}: {type(wrong).__name__}: {wrong}"
