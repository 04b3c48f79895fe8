from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from filled import bare, texts
from streamlit.testing.v1 import AppTest

from core.types import BadInput, JobSnapshot
from pages._ui import progress, state


@pytest.mark.parametrize(("job", "words"), [
    (JobSnapshot("j", "s", "running", done=42, total=100, n_runs=27, seconds_left=65),
     "training 27 runs: 42 %, 1 min 5 s left"),
    (JobSnapshot("j", "s", "running", done=0, total=100, n_runs=1), "training 1 run: 0 %"),
    (JobSnapshot("j", "s", "queued"), "waiting for its turn"),
    (JobSnapshot("j", "s", "cancelled", n_runs=3), "cancelled: 3 runs"),
])
def test_a_job_is_one_short_sentence(job, words):
    assert progress.sentence(job) == words


def test_what_became_of_the_runs_names_only_what_happened():
    job = JobSnapshot("j", "s", "finished", n_runs=1200, finished=1198, diverged=2)
    assert progress.outcome(job) == "1,198 of 1,200 runs finished, 2 diverged"
    assert progress.outcome(JobSnapshot("j", "s", "failed", n_runs=3, failed=3)) == "0 of 3 runs finished, 3 failed"


def test_a_sentence_begins_with_a_capital():
    assert progress.capital("training 3 runs") == "Training 3 runs" and progress.capital("") == ""


def script(study):
    from pages._ui import progress

    progress.strip(study)
    progress.panel(study)


@pytest.fixture
def shown(monkeypatch):
    """The panel of jobs as they are said to be: shown(job, ...) -> AppTest."""
    def show(*jobs, elsewhere=()):
        monkeypatch.setattr(progress, "snapshots", lambda study: list(jobs))
        monkeypatch.setattr(state, "jobs", lambda: SimpleNamespace(live=lambda: [*jobs, *elsewhere]))
        return AppTest.from_function(script, args=("s",), default_timeout=20).run()

    return show


def job(state_, ident="j", **more):
    return JobSnapshot(ident, "s", state_, n_runs=more.pop("n_runs", 4), created=time.time() - 7200, **more)


def labels(at):
    return [b.label for b in at.button]


def links(at):
    return [link.proto.label for link in at.get("page_link")]


def bars(at):
    return [(bar.proto.value, bar.proto.text) for bar in at.get("progress")]


def test_a_queued_job_waits_and_can_be_cancelled(shown):
    at = shown(job("queued", message="Waiting."), elsewhere=[JobSnapshot("k", "other", "running")])
    assert "Waiting for its turn: 4 runs" in texts(at) and "asked for 2 hours ago" in texts(at)
    assert "1 job of other studies share this queue" in texts(at)
    assert labels(at) == ["Cancel"] and bars(at)[-1] == (0, "")


def test_a_running_job_tells_how_far_it_is_and_how_long_it_takes(shown):
    at = shown(job("running", done=250, total=1000, seconds_left=125, started=time.time() - 61, finished=1,
                   message="Group DRO, iteration 25.", device="cpu"))
    assert bars(at) == [(25, "Training 4 runs: 25 %, 2 min 5 s left"), (25, "")]
    for words in ("1 of 4 runs finished · cpu · started 1 minute ago", "Group DRO, iteration 25."):
        assert words in texts(at)
    assert labels(at) == ["Cancel"] and links(at) == ["Watch the front"] and "other studies" not in texts(at)


def test_a_finished_job_tells_how_long_it_took_and_what_diverged(shown):
    now = time.time()
    at = shown(job("finished", done=1, finished=3, diverged=1, started=now - 300, ended=now - 200, message="Done."))
    assert "Finished: 4 runs" in texts(at) and "took 1 min 40 s, ended 3 minutes ago" in texts(at)
    assert "3 of 4 runs finished, 1 diverged" in texts(at) and "Done." not in texts(at)
    assert labels(at) == [] and links(at) == ["See the front"] and bars(at) == []


def test_a_failed_job_says_why_in_red_without_acting_on_its_text(shown):
    at = shown(job("failed", failed=4, message="Column *age* is gone.", log=("first", "second")))
    (error,) = at.error
    assert bare(error.value) == "Column *age* is gone." != error.value
    assert "0 of 4 runs finished, 4 failed" in texts(at) and at.code[0].value == "first\nsecond"
    assert labels(at) == []


@pytest.mark.parametrize(("became", "told"), [("cancelled", False), ("interrupted", True)])
def test_a_stopped_job_can_be_resumed(shown, monkeypatch, became, told):
    at = shown(job(became, message="The app was closed."))
    assert labels(at) == ["Resume"] and not at.error and ("The app was closed." in texts(at)) == told
    asked = []
    monkeypatch.setattr(state, "jobs", lambda: SimpleNamespace(live=lambda: [], resume=asked.append))
    at.button(key="resume:j").click().run()
    assert asked == ["j"] and not at.exception


def test_a_job_that_cannot_be_resumed_says_so_in_a_sentence(shown, monkeypatch):
    def refuse(job):
        raise BadInput("Job", "its table is gone", "the same table", "bring the table again")

    at = shown(job("interrupted"))
    monkeypatch.setattr(state, "jobs", lambda: SimpleNamespace(live=lambda: [], resume=refuse))
    at.button(key="resume:j").click().run()
    assert not at.exception and "bring the table again" in bare(at.error[0].value)


def test_cancel_asks_the_queue_to_stop_that_job(shown, monkeypatch):
    asked, at = [], shown(job("running", "a", total=2.0), job("queued", "b"))
    monkeypatch.setattr(state, "jobs", lambda: SimpleNamespace(live=lambda: [], cancel=asked.append))
    at.button(key="cancel:b").click().run()
    assert asked == ["b"]


def test_older_jobs_lie_behind_one_click_and_their_log_is_cut(shown):
    log = tuple(f"line {k}" for k in range(40))
    at = shown(job("finished", "c", log=log), job("failed", "b"), job("running", "a"))
    assert "1 earlier job" in [e.label for e in at.expander] and labels(at) == ["Cancel"]
    assert at.code[0].value.splitlines() == list(log[-progress.LOG_LINES:])


def test_a_study_without_jobs_shows_nothing(shown):
    at = shown()
    assert not at.exception and texts(at) == "" and bars(at) == []


def test_jobs_come_newest_first_and_live_ones_as_they_are_now(folder, monkeypatch):
    stored = [JobSnapshot("a", "s", "finished", created=1), JobSnapshot("b", "s", "running", created=2)]
    monkeypatch.setattr(state, "store", lambda: SimpleNamespace(jobs=lambda study: stored))
    moved = replace(stored[1], done=0.5)
    monkeypatch.setattr(state, "jobs", lambda: SimpleNamespace(snapshot={"b": moved}.__getitem__))
    assert progress.snapshots("s") == [moved, stored[0]]
