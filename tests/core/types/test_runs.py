from __future__ import annotations

from core.types import JobSnapshot, RunRecord


def test_runs_that_differ_by_seed_share_a_setting_key():
    def run(seed, eta):
        return RunRecord(f"k{seed}{eta}", "s", "j", "c", 0, "dro", {"eta": eta}, seed, "mlp", "finished")

    assert run(0, 0.1).setting_key == run(1, 0.1).setting_key != run(0, 0.2).setting_key


def test_a_jobs_share_never_passes_one():
    assert JobSnapshot("i", "s", "running", done=5, total=4).share == 1.0
    assert JobSnapshot("i", "s", "running").live and not JobSnapshot("i", "s", "failed").live
