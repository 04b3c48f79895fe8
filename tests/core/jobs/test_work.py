from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from toys import make_task

from core.engine.train import train_cohort
from core.jobs.work import words_of
from core.types import BadInput


def test_one_failing_cohort_leaves_the_others_alone(store, study, queue_of, training, until, home):
    def fails_once(task, cohort, *args, **options):
        if cohort.method == "erm":
            raise ZeroDivisionError("secret\nsecond line")
        return train_cohort(task, cohort, *args, **options)

    jobs = queue_of(train=fails_once)
    ident = jobs.submit(study, training("erm", "group_dro"))
    until(lambda: not jobs.snapshot(ident).live)
    job, runs = store.job(ident), store.runs(study)
    assert (job.state, job.finished, job.failed, job.share) == ("finished", 2, 2, 1.0)
    assert [r.state for r in runs] == ["failed"] * 2 + ["finished"] * 2
    assert runs[0].note == ("It stopped on an unexpected error (ZeroDivisionError: secret second line); "
                            f"details are in logs/{ident}.log.")
    assert "2 failed" in job.message and "Traceback" in (home / "logs" / f"{ident}.log").read_text()
    assert not any("Traceback" in line for line in job.log)


def test_a_job_of_which_nothing_worked_says_why_and_trains_only_what_is_missing_on_resume(
    store, study, queue_of, training, until
):
    broken, trained = [True], []

    def refuses(task, cohort, method, *args, **options):
        if broken[0]:
            raise BadInput(method.title, "3 classes", "two classes", "leave this method out")
        trained.append(cohort.method)
        return train_cohort(task, cohort, method, *args, **options)

    jobs = queue_of(train=refuses)
    ident = jobs.submit(study, training())
    until(lambda: not jobs.snapshot(ident).live)
    assert store.job(ident).state == "failed" and store.job(ident).message.endswith("leave this method out.")
    broken[0] = False
    jobs.resume(ident)
    until(lambda: not jobs.snapshot(ident).live)
    job = store.job(ident)
    assert (job.state, job.finished, job.failed) == ("finished", 2, 0) and trained == ["erm"]
    assert {(r.state, r.note) for r in store.runs(study)} == {("finished", "")}


def test_data_that_cannot_be_loaded_is_a_sentence(store, study, queue_of, training, until, home):
    def gone(spec, home):
        raise BadInput("Uploaded file", "people.csv, which this server does not have", "a file kept here", "upload it")

    def breaks(spec, home):
        raise KeyError("income")

    for load, words in ((gone, "Uploaded file: found people.csv"), (breaks, "unexpected error (KeyError: 'income')")):
        jobs = queue_of(load=load)
        ident = jobs.submit(study, training())
        until(lambda jobs=jobs, ident=ident: not jobs.snapshot(ident).live)
        assert store.job(ident).state == "failed" and words in store.job(ident).message
    assert (home / "logs" / f"{ident}.log").is_file() and store.runs(study) == []


def test_a_damaged_checkpoint_means_beginning_anew(store, study, queue_of, training, until, home):
    starts = []

    def watched(*args, checkpoint, **options):
        starts.append(checkpoint)
        return train_cohort(*args, checkpoint=checkpoint, **options)

    jobs = queue_of(train=watched)
    ident = jobs.submit(study, training(iterations=200_000, evaluations=500))
    until(lambda: jobs.snapshot(ident).done > 0)
    jobs.cancel(ident)
    until(lambda: not jobs.snapshot(ident).live)
    (home / "artefacts" / study / f"{ident}-0" / "checkpoint.safetensors").write_bytes(b"x" * 50)
    jobs.resume(ident)
    until(lambda: len(starts) == 2)
    assert starts[1] is None and any("begins anew" in line for line in jobs.snapshot(ident).log)


def test_a_run_that_diverges_is_a_result(store, study, queue_of, training, until):
    jobs = queue_of(load=lambda spec, home: replace(make_task(), x=make_task().x + np.float32(3e38)))
    ident = jobs.submit(study, training(lr=(10.0,), seeds=(0,)))
    until(lambda: not jobs.snapshot(ident).live)
    run, job = store.runs(study)[0], store.job(ident)
    assert (run.state, job.state, job.diverged) == ("diverged", "finished", 1)
    assert run.note.startswith("Its loss stopped being a number by iteration ")
    assert store.scores(run.cohort, "test") is not None


def test_saved_rules_are_not_the_jobs_work(store, study, queue_of, training, until):
    from core.jobs.rules import save_rule

    jobs, broken = queue_of(train=lambda task, cohort, *a, **o: fail_second(task, cohort, *a, **o)), [True]

    def fail_second(task, cohort, *args, **options):
        if cohort.method == "group_dro" and broken[0]:
            raise RuntimeError("no")
        return train_cohort(task, cohort, *args, **options)

    ident = jobs.submit(study, training("erm", "group_dro"))
    until(lambda: not jobs.snapshot(ident).live)
    save_rule(store, store.runs(study)[0], np.array([0.4, 0.6]), "fairer")
    assert store.job(ident).finished == 2
    before = store.weights(f"{ident}-0")
    store.put_job(replace(store.job(ident), state="interrupted", version=99))
    broken[0] = False
    jobs.resume(ident)
    until(lambda: not jobs.snapshot(ident).live)
    assert (store.job(ident).state, store.job(ident).finished, store.job(ident).n_runs) == ("finished", 4, 4)
    assert all(torch.equal(before[k], v) for k, v in store.weights(f"{ident}-0").items())
    assert any("kept from before" in line for line in store.job(ident).log)


@pytest.mark.parametrize(("error", "sentence"), [
    (RuntimeError(), "It stopped on an unexpected error (RuntimeError)."),
    (ValueError("a\n  b."), "It stopped on an unexpected error (ValueError: a b)."),
    (BadInput("Label", "3\nvalues", "2", "choose"), "Label: found 3 values, allowed is 2; choose."),
    (OSError("\ud800"), "It stopped on an unexpected error (OSError: ?)."),
])
def test_errors_are_told_in_one_line(error, sentence):
    assert words_of(error) == sentence
