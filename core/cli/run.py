"""`run`: train a study file headless, and write what came of it as tables."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core import registry
from core.cli.results import summary_rows, write_results
from core.cli.source import bring_table, read_study_file, seen_from, settle_groups
from core.data.load import load_dataset, load_task
from core.engine.device import pick_device
from core.engine.plan import check_task, plan_cohorts
from core.jobs.queue import Jobs
from core.store.sql import SqlStore
from core.study import dump_study, dump_train
from core.types import BadInput, JobSnapshot, StudySpec, Task

DONE, BAD, CANCELLED = 0, 2, 130
WORK = ".counterweight"
POLL, SPEAK = 0.1, 10.0


@dataclass(frozen=True)
class Training:
    """A study at work: `spec` as trained, `shown` as the file names its table."""

    spec: StudySpec
    shown: StudySpec
    task: Task
    store: SqlStore
    study: str
    out: Path
    fingerprints: dict[str, str]


def run_study(options: argparse.Namespace) -> int:
    """Train, write DIR, print a summary; returns the exit status."""
    minutes = options.max_minutes
    if minutes is not None and not (math.isfinite(minutes) and minutes > 0):
        raise BadInput("--max-minutes", f"{minutes:g}", "a number above 0", "give minutes, for example 30")
    begun = time.monotonic()
    training = prepare(options.study, options.out or Path(f"{options.study.stem}-results"), options.device)
    jobs = Jobs(training.store, training.store.home, load=lambda spec, home: training.task)
    stopped = ""
    try:
        told = start_jobs(jobs, training)
        stopped = _wait(jobs, told, begun + 60 * minutes if minutes else math.inf)
    except KeyboardInterrupt:
        stopped = "Cancelled"
    finally:
        jobs.shutdown()
    snapshots = training.store.jobs(training.study)
    files = write_results(training.store, training.study, training.task, training.out, _made(training))
    facts = _facts(training, snapshots, files, time.monotonic() - begun)
    as_json = json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False)
    print(as_json if options.format == "json" else _as_text(facts), flush=True)
    status = _status(training, snapshots, stopped)
    training.store.close()
    return status


def prepare(path: Path, out: Path, device: str | None) -> Training:
    """Everything that can be refused is refused here, before anything trains."""
    shown, obj = read_study_file(path)
    if device is not None:
        shown = replace(shown, trainings=tuple(replace(train, device=device) for train in shown.trainings))
    if out.exists() and not out.is_dir():
        raise BadInput("--out", f"the file {out}", "a folder", "choose another name")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise BadInput("--out", f"{out} ({wrong.strerror})", "a folder that can be made", "choose another") from None
    store = SqlStore(out / WORK)
    spec = settle_groups(bring_table(shown, path.resolve().parent, store.home), obj, store.home)
    study = _study_of(store, spec, out)
    dataset, task = load_dataset(spec, store.home), load_task(spec, store.home)
    methods = registry.methods()
    for train in spec.trainings:
        pick_device(train.device)
        for cohort in plan_cohorts(train, methods, registry.net(train.net)):
            check_task(task, methods[cohort.method], registry.net(train.net))
    prints = {"dataset": dataset.fingerprint, "task": task.fingerprint, "table": spec.data.digest}
    shown = replace(shown, roles=spec.roles, groups=spec.groups, data=seen_from(out, shown.data, path))
    return Training(spec, shown, task, store, study, out, {k: v for k, v in prints.items() if v})


def _study_of(store: SqlStore, spec: StudySpec, out: Path) -> str:
    """The study in the folder if it is this one, a new one in an empty folder; else BadInput."""
    known = store.studies()
    if not known:
        return store.create_study(spec)
    if dump_study(replace(known[0].spec, name="")) != dump_study(replace(spec, name="")):
        raise BadInput("--out", f"{out}, which holds results of another study", "an empty folder or this study's own",
                       "choose another folder, or delete that one")
    return known[0].id


def start_jobs(jobs: Jobs, training: Training) -> dict[str, tuple[str, ...]]:
    """One job a training: kept where it has ended, resumed where it was cut off, else new. Job -> its log so far."""
    store, known = training.store, training.store.jobs(training.study)
    found: dict[str, tuple[str, ...]] = {}
    for train in training.spec.trainings:
        wanted = dump_train(train)
        same = [job for job in known if job.id not in found and dump_train(store.job_spec(job.id)) == wanted]
        if not same:
            found[jobs.submit(training.study, train)] = ()
            continue
        found[same[0].id] = same[0].log
        if same[0].state != "finished":
            jobs.resume(same[0].id)
    return found


def _wait(jobs: Jobs, told: dict[str, tuple[str, ...]], deadline: float) -> str:
    """Tell what happens until all jobs have ended; returns why it was stopped, "" at the end."""
    spoke = time.monotonic()
    while True:
        snapshots = [jobs.snapshot(ident) for ident in told]
        for job in snapshots:
            for line in new_lines(told[job.id], job.log):
                _note(line)
                spoke = time.monotonic()
            told[job.id] = job.log
        if not any(job.live for job in snapshots):
            return ""
        if time.monotonic() > deadline:
            return "Out of time"
        if time.monotonic() - spoke > SPEAK:
            spoke = time.monotonic()
            _note(_progress(next(job for job in snapshots if job.live)))
        time.sleep(POLL)


def new_lines(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, ...]:
    """What was added to a log whose oldest lines may have gone.

    >>> new_lines(("a", "b"), ("b", "c"))
    ('c',)
    """
    kept = next((k for k in range(len(before) + 1) if after[: len(before) - k] == before[k:]), len(before))
    return after[len(before) - kept :]


def _progress(job: JobSnapshot) -> str:
    left = f", about {job.seconds_left:.0f} s left" if job.seconds_left is not None else ""
    return f"{100 * job.share:.0f} % done{left}."


def _note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _made(training: Training) -> dict[str, Any]:
    """study.json of the results: runs again as it is."""
    return {**dump_study(training.shown), "versions": versions(), "fingerprints": training.fingerprints}


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    import platform
    import tomllib

    import numpy
    import pandas
    import sklearn
    import torch

    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    own = tomllib.loads(project.read_text("utf-8"))["project"]["version"] if project.is_file() else "unknown"
    return {"counterweight": own, "python": platform.python_version(), "torch": torch.__version__,
            "numpy": numpy.__version__, "pandas": pandas.__version__, "scikit-learn": sklearn.__version__}


def _facts(training: Training, snapshots: list[JobSnapshot], files: list[str], seconds: float) -> dict[str, Any]:
    runs = training.store.runs(training.study)
    states = [run.state for run in runs]
    planned = sum(job.n_runs for job in snapshots)
    counts = {state: states.count(state) for state in ("finished", "diverged", "failed")}
    return {
        "out": str(training.out), "files": files, "seconds": round(seconds, 2),
        "device": next((job.device for job in snapshots if job.device), ""),
        "runs": {"planned": planned, **counts, "unfinished": planned - sum(counts.values())},
        "fingerprints": training.fingerprints, "summary": summary_rows(training.store, training.study),
    }  # fmt: skip


def _as_text(facts: dict[str, Any]) -> str:
    from core.cli.catalogue import table

    head = ["method", "settings", "seeds", "accuracy (test)", "worst class × group (test)"]
    write: Callable[[float | None], str] = lambda v: "undefined" if v is None else f"{100 * v:.1f} %"  # noqa: E731
    rows = [[row["title"], ", ".join(f"{k} {v}" for k, v in row["settings"].items()), str(row["seeds"]),
             write(row["accuracy"]), write(row["accuracy.worst@subgroup"])] for row in facts["summary"]]
    runs = ", ".join(f"{n} {word}" for word, n in facts["runs"].items() if n or word in ("planned", "finished"))
    return f"{table(head, rows)}\n\nRuns: {runs}. Results are in {facts['out']}: {', '.join(facts['files'])}."


def _status(training: Training, snapshots: list[JobSnapshot], stopped: str) -> int:
    """The exit status, with one line that says why it is not 0."""
    if stopped and any(job.state == "interrupted" for job in snapshots):
        _note(f"{stopped}: what is finished is in {training.out}; run the same command again to go on.")
        return CANCELLED
    failed = [job.message for job in snapshots if job.state == "failed"]
    failed += [f"{run.method}: {run.note}" for run in training.store.runs(training.study) if run.state == "failed"]
    if failed:
        _note(failed[0])
    return BAD if failed else DONE
