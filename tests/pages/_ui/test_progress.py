from __future__ import annotations

import pytest

from core.types import JobSnapshot
from pages._ui import progress


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
