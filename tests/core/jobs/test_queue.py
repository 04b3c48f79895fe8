from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from toys import make_task

from core.checks.store import same_arrays
from core.engine.train import train_cohort
from core.jobs.queue import default_threads, yield_to_pages
from core.store.base import StoreError
from core.store.sql import SqlStore
from core.types import BadInput, JobSnapshot, MethodSpec

ROOT = Path(__file__).resolve().parents[3]


class Gate:
    """An engine that stops before every cohort until it is let through."""

    def __init__(self, cohorts: int = 0):
        self.waiting, self.go = threading.Event(), threading.Semaphore(cohorts)

    def __call__(self, *args, **options):
        self.waiting.set()
        while not self.go.acquire(timeout=0.01):
            if options["cancelled"]():
                break
        return train_cohort(*args, **options)


def slow_load(spec, home):
    time.sleep(0.6)
    return make_task()


def test_a_job_trains_all_runs_and_keeps_everything(store, study, queue_of, training, until):
    jobs = queue_of()
    ident = jobs.submit(study, training(seeds=(0, 1), lr=(0.01, 0.1)))
    until(lambda: not jobs.snapshot(ident).live)
    job = store.job(ident)
    assert (job.state, job.finished, job.n_runs, job.share) == ("finished", 4, 4, 1.0) and job.device == "cpu"
    assert job.message.startswith("4 finished of 4 runs in ") and job.ended >= job.started >= job.created > 0
    assert any("stacks on cpu" in line for line in job.log) and any("finished in" in line for line in job.log)
    runs = store.runs(study)
    assert [(r.state, r.seed, r.settings["lr"]) for r in runs] == [
        ("finished", 0, 0.01), ("finished", 0, 0.1), ("finished", 1, 0.01), ("finished", 1, 0.1)]
    history, scores = store.history(f"{ident}-0"), store.scores(f"{ident}-0", "test")
    assert history.counts.shape[:3] == (4, 3, 4) and scores.score.shape == (4, 120)
    assert store.weights(f"{ident}-0")["head.w"].shape[0] == 4 and store.checkpoint(f"{ident}-0") is None


def test_measurements_are_stored_while_it_trains(store, study, queue_of, training, until):
    seen = []

    def watched(*args, emit, **options):
        def tell(progress):
            emit(progress)
            time.sleep(0.06)
            if progress.history is not None:
                found = store.history(args[1].method and f"{ident[0]}-0")
                seen.append(0 if found is None else len(found.iteration))

        return train_cohort(*args, emit=tell, **options)

    jobs, ident = queue_of(train=watched), [""]
    version = store.version(study)
    ident[0] = jobs.submit(study, training(iterations=40, evaluations=20))
    until(lambda: not jobs.snapshot(ident[0]).live)
    job = store.job(ident[0])
    assert seen[0] == 1 and 2 <= len(set(seen)) <= 3 + 2 * (job.ended - job.started), "about two writes a second"
    assert store.version(study) != version


def test_plans_that_cannot_work_are_refused_at_once(study, store, queue_of, training):
    jobs = queue_of()
    for wrong in (training("no_such_method"), replace(training(), device="quantum"),
                  replace(training(), methods=(MethodSpec("erm", {"x": (1,)}),)), training(seeds=())):
        with pytest.raises(BadInput):
            jobs.submit(study, wrong)
    with pytest.raises(BadInput, match="^Study: "):
        jobs.submit("nobody", training())
    assert store.jobs(study) == [] and jobs.live() == []


def test_jobs_wait_their_turn_and_queued_ones_cancel_at_once(store, study, queue_of, training, until):
    gate = Gate()
    jobs = queue_of(train=gate)
    first, second, third = (jobs.submit(study, training()) for _ in range(3))
    gate.waiting.wait(10)
    assert [j.id for j in jobs.live()] == [first, second, third]
    assert jobs.snapshot(third).message == "Waiting for 2 jobs before it."
    began = time.monotonic()
    jobs.cancel(second)
    assert time.monotonic() - began < 5 and store.job(second).state == jobs.snapshot(second).state == "cancelled"
    gate.go.release(2)
    until(lambda: not jobs.live())
    assert [store.job(j).state for j in (first, second, third)] == ["finished", "cancelled", "finished"]
    assert {r.job for r in store.runs(study)} == {first, third}
    jobs.cancel(first)
    assert jobs.snapshot(first).state == "finished"


def test_a_running_job_stops_within_two_seconds_and_keeps_what_it_measured(store, study, queue_of, training, until):
    jobs = queue_of()
    ident = jobs.submit(study, training("erm", "group_dro", iterations=200_000, evaluations=500))
    until(lambda: jobs.snapshot(ident).done > 0)
    until(lambda: store.history(f"{ident}-0") is not None)
    jobs.cancel(ident)
    assert until(lambda: store.job(ident).state == "cancelled") < 2.0
    assert {r.state for r in store.runs(study)} == {"cancelled"} and 0 < store.job(ident).share < 0.5
    assert len(store.history(f"{ident}-0").iteration) >= 1 and store.checkpoint(f"{ident}-0") is not None


def test_a_model_that_cannot_be_stopped_is_abandoned_within_two_seconds(store, study, queue_of, training, until):
    inside, go = threading.Event(), threading.Event()

    def deaf(*args, **options):
        inside.set()
        go.wait(20)
        return train_cohort(*args, **{**options, "cancelled": None})

    jobs = queue_of(train=deaf)
    ident = jobs.submit(study, training())
    inside.wait(10)
    jobs.cancel(ident)
    assert until(lambda: not jobs.snapshot(ident).live) < 2.0
    version = store.version(study)
    go.set()
    after = jobs.submit(study, training())
    until(lambda: not jobs.snapshot(after).live)
    assert store.job(ident).state == "cancelled" and store.history(f"{ident}-0") is None
    assert {r.state for r in store.runs(study, ident)} == {"cancelled"} and store.version(study) != version


def test_cancel_while_the_table_is_read_takes_effect_at_once(store, study, queue_of, training, until):
    jobs = queue_of(load=slow_load)
    ident = jobs.submit(study, training())
    until(lambda: jobs.snapshot(ident).state == "preparing")
    jobs.cancel(ident)
    assert jobs.snapshot(ident).state == "cancelled"
    after = jobs.submit(study, training())
    until(lambda: not jobs.snapshot(after).live)
    assert store.job(ident).state == "cancelled" and store.runs(study, ident) == []


def results(store, job, cohorts=1):
    """Arrays of a job's cohorts."""
    names = [f"{job}-{k}" for k in range(cohorts)]
    return [(store.history(n), store.scores(n, "val"), store.scores(n, "test"), store.weights(n)) for n in names]


def assert_same(one, two):
    for (*arrays, weights), (*others, other_weights) in zip(one, two, strict=True):
        assert all(same_arrays(a, b) for a, b in zip(arrays, others, strict=True))
        assert all(torch.equal(weights[k], other_weights[k]) for k in weights)


def test_interrupted_by_a_restart_and_resumed_gives_the_same_numbers(home, study, training, until, queue_of):
    spec = training("erm", "group_dro", iterations=400, evaluations=8)
    whole = queue_of()
    reference = whole.submit(study, spec)
    until(lambda: not whole.snapshot(reference).live)
    trained, stop = [], threading.Event()

    def stopping(task, cohort, *args, cancelled, emit, **options):
        """Lets the first cohort through and is in the middle of the second when the server ends."""
        trained.append(cohort.method)

        def tell(progress):
            emit(progress)
            if len(trained) == 2 and progress.history is not None and len(progress.history.iteration) == 5:
                stop.set()
                until(cancelled)

        return train_cohort(task, cohort, *args, cancelled=cancelled, emit=tell, **options)

    first = queue_of(train=stopping)
    ident = first.submit(study, spec)
    assert stop.wait(20)
    first.shutdown()
    store = SqlStore(home)
    assert store.job(ident).state == "interrupted" and "Resume it" in store.job(ident).message
    assert [r.state for r in store.runs(study, ident)] == ["finished"] * 2 + ["interrupted"] * 2
    assert len(store.history(f"{ident}-1").iteration) == 5
    starts = []

    def counted(*args, checkpoint, **options):
        starts.append(int(checkpoint["stack/iteration"]))
        return train_cohort(*args, checkpoint=checkpoint, **options)

    second = queue_of(store=store, train=counted)
    second.resume(ident)
    until(lambda: not second.snapshot(ident).live)
    assert starts == [250] and store.job(ident).state == "finished" and store.job(ident).finished == 4
    assert_same(results(store, ident, 2), results(store, reference, 2))
    assert [r.key for r in store.runs(study, ident)] == [r.key for r in store.runs(study, reference)]
    store.close()


def test_a_crash_leaves_an_interrupted_job_that_resumes(store, study, queue_of, training, until):
    ident = store.add_job(study, training())
    store.put_job(replace(store.job(ident), state="running", done=3.0), owner="0123456789abcdef")
    jobs = queue_of()
    assert store.job(ident).state == jobs.snapshot(ident).state == "interrupted" and jobs.live() == []
    jobs.resume(ident)
    until(lambda: not jobs.snapshot(ident).live)
    assert store.job(ident).state == "finished"


def test_jobs_of_another_running_server_are_left_alone(store, study, queue_of, training, until):
    gate = Gate()
    one = queue_of(train=gate)
    ident = one.submit(study, training())
    gate.waiting.wait(10)
    two = queue_of()
    assert two.snapshot(ident).live and store.job(ident).live
    for refused in (two.cancel, two.resume):
        with pytest.raises(BadInput, match="^Job: "):
            refused(ident)
    one.shutdown(0.5)
    assert two.snapshot(ident).state == "interrupted"


PROGRAM = """
import sys, time
from pathlib import Path
sys.path[:0] = ["tests/support"]
from toys import make_task
from core.jobs.queue import Jobs, yield_to_pages
from core.store.sql import SqlStore
from core.types import Budget, MethodSpec, TrainSpec
home = Path(sys.argv[1])
jobs = Jobs(SqlStore(home), home, load=lambda spec, home: make_task())
job = jobs.submit(sys.argv[2], TrainSpec((MethodSpec("erm"),), seeds=(0,), budget=Budget(iterations=900_000)))
while not jobs.snapshot(job).done:
    time.sleep(0.01)
print(job, flush=True)
sys.stdin.readline()
"""


def start_program(home, study):
    other = subprocess.Popen([sys.executable, "-c", PROGRAM, str(home), study], cwd=ROOT, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return other, other.stdout.readline().strip()


def test_a_killed_server_is_noticed_by_the_next(home, store, study, queue_of):
    other, ident = start_program(home, study)
    jobs = queue_of()
    assert jobs.snapshot(ident).live
    other.kill()
    other.communicate()
    assert jobs.snapshot(ident).state == store.job(ident).state == "interrupted"
    assert [r.state for r in store.runs(study)] == ["interrupted"]


def test_a_program_that_ends_stops_its_jobs_in_order(home, store, study):
    other, ident = start_program(home, study)
    began = time.monotonic()
    _, said = other.communicate("\n", timeout=30)
    assert other.returncode == 0 and said == "" and time.monotonic() - began < 20
    assert store.job(ident).state == "interrupted" and store.checkpoint(f"{ident}-0") is not None


def test_two_jobs_at_once_do_not_disturb_each_other(store, study, queue_of, training, until):
    spec = training(iterations=300, seeds=(0,))
    alone = queue_of()
    reference = alone.submit(study, spec)
    until(lambda: not alone.live())
    both = threading.Barrier(2)

    def together(*args, **options):
        both.wait(10)
        return train_cohort(*args, **options)

    jobs = queue_of(workers=2, train=together)
    state = torch.random.get_rng_state()
    twins = [jobs.submit(study, spec) for _ in range(2)]
    until(lambda: not jobs.live())
    assert torch.equal(torch.random.get_rng_state(), state)
    for twin in twins:
        assert_same(results(store, twin), results(store, reference))


def test_only_stopped_jobs_resume(store, study, queue_of, training, until):
    jobs = queue_of()
    ident = jobs.submit(study, training())
    until(lambda: not jobs.snapshot(ident).live)
    with pytest.raises(BadInput, match="Job: found one that is finished"):
        jobs.resume(ident)
    with pytest.raises(LookupError):
        jobs.resume("nobody")


def test_a_study_that_changed_meanwhile_is_not_resumed_into_the_same_runs(store, study, queue_of, training, until):
    gate = Gate()
    first = queue_of(train=gate)
    ident = first.submit(study, training())
    gate.waiting.wait(10)
    first.shutdown(1.0)
    other = queue_of(load=lambda spec, home: make_task(seed=3))
    other.resume(ident)
    until(lambda: not other.snapshot(ident).live)
    assert store.job(ident).state == "failed" and "start a new training" in store.job(ident).message


def test_deleting_the_study_ends_its_job(store, study, queue_of, training, until, home):
    jobs = queue_of()
    ident = jobs.submit(study, training(iterations=200_000, evaluations=500))
    until(lambda: jobs.snapshot(ident).done > 0)
    store.delete_study(study)
    until(lambda: not jobs.live(), 10)
    other = store.create_study(replace(store_spec(), name="other"))
    after = jobs.submit(other, training())
    until(lambda: not jobs.live())
    assert store.job(after).state == "finished" and not (home / "artefacts" / study).exists()


def store_spec():
    from core.checks.store import SPEC

    return SPEC


def test_a_closed_queue_takes_no_jobs_and_closes_twice_quietly(study, queue_of, training):
    jobs = queue_of()
    jobs.shutdown()
    jobs.shutdown()
    with pytest.raises(BadInput, match="stopping"):
        jobs.submit(study, training())


def test_a_store_that_fails_ends_the_job_not_the_worker(store, study, queue_of, training, until, monkeypatch, caplog):
    jobs = queue_of()
    real = store.put_scores
    broken = [True]

    def put_scores(*args):
        if broken[0]:
            raise StoreError("Data folder", "no space", "some", "make room")
        real(*args)

    monkeypatch.setattr(store, "put_scores", put_scores)
    ident = jobs.submit(study, training())
    until(lambda: not jobs.snapshot(ident).live)
    assert jobs.snapshot(ident).state == "failed" and "make room" in jobs.snapshot(ident).message
    broken[0] = False
    jobs.resume(ident)
    until(lambda: not jobs.snapshot(ident).live)
    assert jobs.snapshot(ident).state == "finished" and jobs.snapshot(ident).failed == 0


def test_threads_leave_a_core_unless_told_otherwise(monkeypatch):
    monkeypatch.delenv("COUNTERWEIGHT_THREADS", raising=False)
    assert default_threads() >= 1
    for given, threads in (("3", 3), ("0", default_threads()), ("many", default_threads())):
        monkeypatch.setenv("COUNTERWEIGHT_THREADS", given)
        assert default_threads() == threads


def test_a_snapshot_is_never_changed_in_place(store, study, queue_of, training, until):
    jobs = queue_of()
    ident = jobs.submit(study, training())
    seen: list[JobSnapshot] = []
    until(lambda: seen.append(jobs.snapshot(ident)) or not seen[-1].live)
    versions = [s.version for s in seen]
    assert versions == sorted(versions) and np.unique(versions).size > 3


def test_training_threads_come_after_those_that_answer_people():
    seen = []

    def work():
        yield_to_pages(7)
        seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    wanted = 7 if sys.platform == "linux" else before  # elsewhere threads have no niceness of their own
    assert seen == [wanted] and os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before
