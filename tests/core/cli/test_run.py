from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from core import registry
from core.checks.store import same_arrays
from core.cli import run as module
from core.cli.main import main
from core.data.load import default_study
from core.jobs.queue import Jobs
from core.store.sql import SqlStore
from core.study import dump_study
from core.types import Budget, MethodSpec, TrainSpec

ROOT = Path(__file__).resolve().parents[3]


def test_a_study_trains_and_tells_what_came_of_it(run, folder):
    status, out, err = run(None, "--format", "json")
    told = json.loads(out)
    assert status == 0 and told["runs"] == {"planned": 6, "finished": 6, "diverged": 0, "failed": 0, "unfinished": 0}
    assert told["device"] == "cpu" and set(told["fingerprints"]) == {"dataset", "task", "table"}
    assert [row["settings"].get("eta") for row in told["summary"]] == [None, 0.01, 0.1]
    assert all(row["seeds"] == 2 and 0 <= row["accuracy"] <= 1 for row in told["summary"])
    assert "Group DRO, 4 runs: finished" in err and "Traceback" not in err
    assert sorted(p.name for p in (folder / "out").iterdir()) == [
        ".counterweight", "curves.parquet", "runs.parquet", "scores.parquet", "study.json"]


def test_the_table_form_is_for_people(run):
    status, out, _ = run({"methods": ["erm"]})
    assert status == 0 and "ERM" in out and " %" in out and "Runs: 2 planned, 2 finished." in out


def test_run_again_keeps_the_results_and_trains_nothing(run, folder):
    run()
    before = pd.read_parquet(folder / "out" / "runs.parquet")
    status, _, err = run()
    assert status == 0 and "started" not in err
    pd.testing.assert_frame_equal(before, pd.read_parquet(folder / "out" / "runs.parquet"))


def test_the_results_study_file_gives_the_same_numbers(run, folder, capsys):
    run()
    assert main(["run", str(folder / "out" / "study.json"), "--out", str(folder / "again")]) == 0
    for name in ("runs", "curves", "scores"):
        one, two = (pd.read_parquet(folder / place / f"{name}.parquet") for place in ("out", "again"))
        pd.testing.assert_frame_equal(one, two)
    made = json.loads((folder / "out" / "study.json").read_text())
    assert made["versions"]["torch"] and made["fingerprints"]["task"] and made["data"]["path"] == "../people.csv"


def test_a_folder_with_another_study_is_left_alone(run):
    run({"methods": ["erm"]})
    status, out, err = run({"seeds": [5]})
    assert status == 2 and out == "" and err.startswith("--out: found ") and err.count("\n") == 1


@pytest.mark.parametrize(("change", "words"), [
    ({"methods": ["no_such"]}, "Method: found 'no_such'"), ({"methods": ...}, "methods: found nothing"),
    ({"roles": {"label": "hired", "positive": "maybe", "attrs": ["sex"]}}, "Positive class: found 'maybe'"),
    ({"roles": {"label": "hirred", "positive": "yes"}}, "Label: found the column 'hirred'"),
    ({"roles": ...}, "roles: found"), ({"trainings": []}, "beside trainings"),
    ({"data": {"source": "path", "path": "nope.csv"}}, "data.path: found"), ({"colour": 1}, "colour: found an unknown"),
    ({"budget": {"iterations": -5}}, "budget.iterations: found -5"), ({"seeds": []}, "Seeds: found none"),
    ({"split": {"train": 0.9}}, "Split: found"), ({"model": {"net": "cnn"}}, "found CNN|images"),
    ({"model": {"net": "mlp", "hidden": 10**9}}, "Hidden units"), ({"device": "cuda:7"}, "Device: found 'cuda:7'"),
    ({"groups": {"attributes": ["age", "height"]}}, "Groups: found"),
])  # fmt: skip
def test_bad_input_is_one_line_and_status_two(run, folder, change, words):
    status, out, err = run(change)
    assert status == 2 and out == "" and any(word in err for word in words.split("|"))
    assert err.count("\n") == 1 and not (folder / "out" / "runs.parquet").exists()


@pytest.mark.parametrize("minutes", ["0", "-1", "nan", "inf"])
def test_minutes_must_be_a_span_of_time(run, minutes):
    status, _, err = run(None, "--max-minutes", minutes)
    assert status == 2 and err.startswith("--max-minutes: found ")


def until_the_first_cohort_ended(jobs, told, deadline):
    while not any(jobs.snapshot(ident).finished for ident in told):
        time.sleep(0.005)
    return "Out of time"


def test_stopped_in_the_middle_it_keeps_what_is_finished_and_goes_on_later(run, folder, monkeypatch):
    long = {"methods": ["erm", "group_dro"], "seeds": [0],
            "budget": {"iterations": 800, "evaluations": 40, "batch_size": 32}}
    with monkeypatch.context() as patch:
        patch.setattr(module, "_wait", until_the_first_cohort_ended)
        status, out, err = run(long, "--format", "json")
    assert status == 130 and json.loads(out)["runs"] == {
        "planned": 2, "finished": 1, "diverged": 0, "failed": 0, "unfinished": 1}
    assert err.splitlines()[-1].startswith("Out of time: what is finished is in ")
    runs = pd.read_parquet(folder / "out" / "runs.parquet")
    assert runs["state"].tolist() == ["finished"] * 3 + ["interrupted"] * 3
    assert runs["accuracy"].notna().tolist() == [True] * 3 + [False] * 3
    status, out, err = run(long, "--format", "json")
    assert status == 0 and json.loads(out)["runs"]["finished"] == 2
    whole_status, _, _ = run(long, out="whole")
    assert whole_status == 0
    for name in ("runs", "curves", "scores"):
        one, two = (pd.read_parquet(folder / place / f"{name}.parquet") for place in ("out", "whole"))
        pd.testing.assert_frame_equal(one, two)


def test_control_c_keeps_what_is_finished_and_says_130(folder, run):
    long = {"methods": ["erm"], "budget": {"iterations": 500_000, "batch_size": 32}, "seeds": [0]}
    assert run(long, "--max-minutes", "0.002")[0] == 130  # out of time
    command = [sys.executable, "-m", "core", "run", str(folder / "study.json"), "--out", str(folder / "out")]
    heard = partial(signal.signal, signal.SIGINT, signal.default_int_handler)  # a suite in the background ignores it
    program = subprocess.Popen(command, cwd=ROOT, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                               preexec_fn=heard)
    said = ""
    while "started" not in said:
        line = program.stderr.readline()
        assert line, said
        said += line
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert program.returncode == 130 and "Cancelled: what is finished is in" in err.splitlines()[-1]
    assert "Traceback" not in said + err and "1 unfinished" in out


def test_a_method_that_fails_is_told_and_the_others_are_kept(run, folder, monkeypatch):
    def breaks(*_):
        raise ZeroDivisionError("oh")

    broken = dict(registry.methods())
    broken["group_dro"] = replace(broken["group_dro"], loss=breaks)
    monkeypatch.setattr(registry, "methods", lambda: broken)
    monkeypatch.setattr(registry, "method", broken.__getitem__)
    status, out, err = run(None, "--format", "json")
    assert status == 2 and json.loads(out)["runs"]["failed"] == 4 and json.loads(out)["runs"]["finished"] == 2
    assert err.splitlines()[-1].startswith("group_dro: It stopped on an unexpected error (ZeroDivisionError: oh)")
    runs = pd.read_parquet(folder / "out" / "runs.parquet")
    failed = runs[runs.state == "failed"]
    assert failed["accuracy"].isna().all() and failed["note"].str.contains("logs/").all()


def test_a_log_whose_beginning_is_gone_is_told_once():
    assert module.new_lines((), ("a",)) == ("a",)
    assert module.new_lines(("a", "b"), ("a", "b")) == ()
    assert module.new_lines(("a", "b", "c"), ("c", "d")) == ("d",)
    assert module.new_lines(("a", "b"), ("x", "y")) == ("x", "y")


def test_a_study_made_in_the_app_gives_the_same_numbers_headless(folder, home, capsys):
    train = TrainSpec((MethodSpec("erm"), MethodSpec("jtt")), seeds=(0, 3), budget=Budget(40, 4, 32), device="cpu")
    app = SqlStore(home)
    study = app.create_study(replace(default_study("law_school"), trainings=(train,)))
    jobs = Jobs(app, home)
    ident = jobs.submit(study, train)
    while jobs.snapshot(ident).live:
        time.sleep(0.02)
    jobs.shutdown()
    (folder / "study.json").write_text(json.dumps(dump_study(app.study(study).spec)))
    assert main(["run", str(folder / "study.json"), "--out", str(folder / "out")]) == 0
    headless = SqlStore(folder / "out" / ".counterweight")
    pairs = list(zip(app.runs(study), headless.runs(headless.studies()[0].id), strict=True))
    assert len(pairs) == 4 and all(one.key == two.key and one.settings == two.settings for one, two in pairs)
    for one, two in {(one.cohort, two.cohort) for one, two in pairs}:
        assert same_arrays(app.history(one), headless.history(two))
        assert same_arrays(app.scores(one, "test"), headless.scores(two, "test"))
    app.close()
    headless.close()
