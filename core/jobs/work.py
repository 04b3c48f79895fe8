"""What a worker does with one job: load, plan, train cohort by cohort, keep results, tell failures in words."""

from __future__ import annotations

import time
import traceback
from typing import TYPE_CHECKING

from core import registry
from core.engine.device import pick_device
from core.engine.plan import Cohort, plan_cohorts, run_key
from core.engine.result import Outcome, Progress
from core.jobs.board import Board
from core.store.base import NotFound
from core.types import RUN_STATES, BadInput, RunRecord, Task, TrainSpec

if TYPE_CHECKING:
    from core.jobs.queue import Jobs

HISTORY_SECONDS = 0.5


class Stopped(Exception):
    """The job was cancelled; raised between cohorts, never leaves `run_job`."""


def run_job(jobs: Jobs, board: Board) -> None:
    """Run one job to its end. Nothing is raised: what goes wrong is in the snapshot and in home/logs."""
    job = board.read()
    try:
        _run(jobs, board)
    except Stopped:
        _stop(jobs, board)
    except NotFound:
        board.update(state="cancelled", message="Its study was deleted.", ended=time.time())
    except BadInput as error:
        _fail(jobs, board, str(error))
    except Exception as error:  # noqa: BLE001 - the last line of defence of a thread
        where = _write_log(jobs, job.id, error)
        _fail(jobs, board, f"Something unexpected stopped this job ({type(error).__name__}); details are in {where}.")


def _fail(jobs: Jobs, board: Board, sentence: str) -> None:
    job = board.read()
    jobs._set_unfinished(job.study, job.id, "failed")
    board.update(state="failed", message=sentence, ended=time.time(), seconds_left=None, log=sentence)


def _stop(jobs: Jobs, board: Board) -> None:
    job = board.read()
    if board.stopped_by_server:
        jobs._interrupt(job)
        return
    jobs._set_unfinished(job.study, job.id, "cancelled")
    words = "Cancelled. What was measured by then is kept; resume it to go on."
    board.update(state="cancelled", message=words, ended=time.time(), seconds_left=None, log="Cancelled.")


def _write_log(jobs: Jobs, job: str, error: Exception) -> str:
    folder = jobs.home / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{job}.log").open("a", encoding="utf-8") as file:
        file.write("".join(traceback.format_exception(error)))
    return f"logs/{job}.log"


def _run(jobs: Jobs, board: Board) -> None:
    job = board.read()
    board.update(state="preparing", message="Reading the table.", started=time.time(), log="Reading the table.")
    spec, train = jobs.store.study(job.study).spec, jobs.store.job_spec(job.id)
    device = pick_device(train.device)
    task = jobs.load(spec, jobs.home)
    cohorts = plan_cohorts(train, registry.methods(), registry.net(train.net))
    _add_runs(jobs, board, task, cohorts)
    total = float(sum(c.n_models * c.budget.iterations for c in cohorts))
    n_runs = sum(c.n_runs for c in cohorts)
    board.update(
        state="running", device=device, total=total, n_runs=n_runs, message="Training.",
        log=f"{n_runs} runs in {len(cohorts)} stacks on {device}; {len(task.splits.train):,} training rows, "
        f"{task.x.shape[1]} inputs.",
    )  # fmt: skip
    done = 0.0
    for k, cohort in enumerate(cohorts):
        if board.cancel.is_set():
            raise Stopped
        name = f"{job.id}-{k}"
        _train(jobs, board, task, cohort, train, name, device, done)
        done += cohort.n_models * cohort.budget.iterations
        board.advance(done)
    _finish(jobs, board)


def _add_runs(jobs: Jobs, board: Board, task: Task, cohorts: tuple[Cohort, ...]) -> None:
    job = board.read()
    known = {(r.cohort, r.position): r for r in jobs.store.runs(job.study, job.id)}
    records = []
    for k, cohort in enumerate(cohorts):
        for position in range(cohort.n_runs):
            settings, seed = cohort.run(position)
            key = run_key(task.fingerprint, cohort, position)
            old = known.get((f"{job.id}-{k}", position))
            if old is not None and old.key != key:
                raise BadInput("Study", "other data, groups or split than this job began with", "the same as then",
                               "start a new training instead of resuming")  # fmt: skip
            if old is None:
                records.append(RunRecord(key, job.study, job.id, f"{job.id}-{k}", position, cohort.method, settings,
                                         seed, cohort.net, "queued"))  # fmt: skip
    jobs.store.add_runs(records)


def _train(
    jobs: Jobs, board: Board, task: Task, cohort: Cohort, train: TrainSpec, name: str, device: str, done: float
) -> None:
    runs = [r for r in jobs.store.runs(board.read().study, board.read().id) if r.cohort == name]
    if runs and all(r.state in ("finished", "diverged") for r in runs):
        return
    method = registry.method(cohort.method)
    words = f"{method.title}: {cohort.n_runs} run{'s' if cohort.n_runs > 1 else ''}"
    jobs.store.set_run_states(name, [(r.position, "running", "") for r in runs])
    board.update(message=f"Training {words}.", log=f"{words} started.")
    begun = time.monotonic()
    written = [0.0]

    def emit(progress: Progress) -> None:
        board.advance(done + progress.iteration)
        now = time.monotonic()
        if progress.history is not None and (
            now - written[0] > HISTORY_SECONDS or progress.iteration >= progress.total
        ):
            written[0] = now
            jobs.store.put_history(name, progress.history)

    try:
        outcome = jobs.train(
            task, cohort, method, registry.net(train.net), device=device, emit=emit, cancelled=board.cancel.is_set,
            checkpoint=jobs.store.checkpoint(name), keep=lambda saved: jobs.store.put_checkpoint(name, saved),
        )  # fmt: skip
    except BadInput as error:
        _fail_cohort(jobs, board, name, len(runs), words, str(error))
        return
    except (RuntimeError, ValueError, MemoryError, ArithmeticError, IndexError, KeyError, TypeError) as error:
        where = _write_log(jobs, board.read().id, error)
        sentence = f"An unexpected {type(error).__name__} stopped these runs; details are in {where}."
        _fail_cohort(jobs, board, name, len(runs), words, sentence)
        return
    _keep(jobs, board, name, outcome)
    for message in outcome.messages:
        board.update(log=message)
    board.update(log=f"{words} finished in {time.monotonic() - begun:.1f} s.")


def _fail_cohort(jobs: Jobs, board: Board, name: str, n: int, words: str, sentence: str) -> None:
    jobs.store.set_run_states(name, [(p, "failed", sentence) for p in range(n)])
    board.update(failed=board.read().failed + n, log=f"{words} failed. {sentence}")


def _keep(jobs: Jobs, board: Board, name: str, outcome: Outcome) -> None:
    store = jobs.store
    store.put_history(name, outcome.history)
    if outcome.state == "cancelled":
        raise Stopped
    store.put_scores(name, "val", outcome.val)
    store.put_scores(name, "test", outcome.test)
    store.put_weights(name, outcome.weights)
    words = [RUN_STATES[s] for s in outcome.history.state]
    notes = list(outcome.notes)
    for r, word in enumerate(words):
        if word == "diverged":
            notes[r] = f"Its loss stopped being a number by iteration {int(outcome.history.diverged_at[r]):,}."
    store.set_run_states(name, [(r, word, note) for r, (word, note) in enumerate(zip(words, notes, strict=True))])
    store.drop_checkpoint(name)


def _finish(jobs: Jobs, board: Board) -> None:
    job = board.read()
    states = [r.state for r in jobs.store.runs(job.study, job.id)]
    finished, diverged, failed = (states.count(s) for s in ("finished", "diverged", "failed"))
    parts = [f"{finished} finished"] + [f"{n} {w}" for n, w in ((diverged, "diverged"), (failed, "failed")) if n]
    state = "failed" if failed == len(states) and states else "finished"
    took = time.time() - job.started
    words = f"{', '.join(parts)} of {len(states)} runs in {took:.0f} s."
    board.update(state=state, done=job.total, finished=finished, diverged=diverged, failed=failed, ended=time.time(),
                 seconds_left=None, message=words, log=words)  # fmt: skip
