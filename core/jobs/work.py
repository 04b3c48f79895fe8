"""What a worker does with one job: load, plan, train cohort by cohort, keep results, tell failures in words."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core import registry
from core.engine.device import pick_device
from core.engine.plan import Cohort, plan_cohorts, run_key
from core.engine.result import Outcome, Progress
from core.jobs.board import Board, Closed
from core.store.base import NotFound, Store, StoreError
from core.types import RUN_STATES, BadInput, RunRecord, Task, TrainSpec

LOG = logging.getLogger(__name__)
HISTORY_SECONDS = 0.5
RESULTS = ("finished", "diverged")


class Stopped(Exception):
    """The job was cancelled; raised between cohorts, never leaves `Work.run`."""


def set_unfinished(store: Store, study: str, job: str, state: str, note: str = "") -> None:
    """Give runs of a job that wait or train another state."""
    by_cohort: dict[str, list[tuple[int, str, str]]] = {}
    for run in store.runs(study, job):
        if run.state in ("queued", "running"):
            by_cohort.setdefault(run.cohort, []).append((run.position, state, note))
    for cohort, states in by_cohort.items():
        store.set_run_states(cohort, states)


def words_of(error: BaseException, where: str = "") -> str:
    """One plain sentence for an error; `where` names the file with the details."""
    if isinstance(error, BadInput):
        return " ".join(str(error).split())
    said = " ".join(str(error).split()).encode("utf-8", "replace").decode()[:160]
    kind = type(error).__name__ + (f": {said.rstrip('.')}" if said else "")
    return f"It stopped on an unexpected error ({kind})" + (f"; details are in {where}." if where else ".")


@dataclass
class Work:
    """One job in the hands of a worker. train, load: the engine's train_cohort and the data's load_task.

    stop_state(): what the job becomes when it is told to stop: "cancelled", or "interrupted" when the server ends.
    """

    store: Store
    home: Path
    board: Board
    train: Callable[..., Outcome]
    load: Callable[..., Task]
    stop_state: Callable[[], str] = lambda: "cancelled"
    written: float = 0.0  # when a history was last stored
    pause: float = HISTORY_SECONDS

    def run(self) -> None:
        """Run the job to its end. Nothing is raised: what goes wrong is in the snapshot and in home/logs."""
        try:
            self._run()
        except Closed:
            pass
        except Stopped:
            self._stop()
        except NotFound:
            with suppress(NotFound):  # closed all the same; nothing is left to keep it in
                self.board.close("cancelled", "Its study was deleted.")
        except BadInput as error:
            self._fail(words_of(error))
        except Exception as error:  # the last line of defence of a thread
            self._fail(words_of(error, self._write_log(error)))

    # ------------------------------------------------------------ the course of a job

    def _run(self) -> None:
        job = self.board.read()
        self.board.update(state="preparing", message="Reading the table.", started=time.time(), failed=0, finished=0,
                          diverged=0, done=0.0, log="Reading the table.")  # fmt: skip
        spec, train = self.store.study(job.study).spec, self.store.job_spec(job.id)
        device = pick_device(train.device)
        task = self.load(spec, self.home)
        cohorts = plan_cohorts(train, registry.methods(), registry.net(train.net))
        with self.board.writing():
            self._add_runs(task, cohorts)
        n_runs = sum(c.n_runs for c in cohorts)
        self.board.update(
            state="running", device=device, total=float(sum(_size(c) for c in cohorts)), n_runs=n_runs,
            message="Training.", log=f"{_runs(n_runs)} in {len(cohorts)} stacks on {device}; "
            f"{len(task.splits.train):,} training rows, {task.x.shape[1]:,} inputs.",
        )  # fmt: skip
        done = 0.0
        for k, cohort in enumerate(cohorts):
            if self.board.cancel.is_set():
                raise Stopped
            self._cohort(task, cohort, train, f"{job.id}-{k}", device, done)
            done += _size(cohort)
            self._count(done)
        self._finish()

    def _add_runs(self, task: Task, cohorts: Sequence[Cohort]) -> None:
        """Keep the records of all runs; on resume only check that they are still the same work."""
        job = self.board.read()
        known = {(r.cohort, r.position): r for r in self._records()}
        records: list[RunRecord] = []
        waiting: dict[str, list[tuple[int, str, str]]] = {}
        for k, cohort in enumerate(cohorts):
            name = f"{job.id}-{k}"
            for position in range(cohort.n_runs):
                settings, seed = cohort.run(position)
                key, old = run_key(task.fingerprint, cohort, position), known.get((name, position))
                if old is not None and old.key != key:
                    raise BadInput("Study", "other data, groups or split than this job began with", "the same as then",
                                   "start a new training instead of resuming")  # fmt: skip
                if old is None:
                    records.append(RunRecord(key, job.study, job.id, name, position, cohort.method, settings, seed,
                                             cohort.net, "queued"))  # fmt: skip
                elif old.state not in RESULTS:
                    waiting.setdefault(name, []).append((position, "queued", ""))
        self.store.add_runs(records)
        for name, states in waiting.items():
            self.store.set_run_states(name, states)

    def _records(self) -> list[RunRecord]:
        """Runs of this job; rules that people saved from them are not its work."""
        job = self.board.read()
        return [run for run in self.store.runs(job.study, job.id) if not run.parent]

    def _cohort(self, task: Task, cohort: Cohort, train: TrainSpec, name: str, device: str, done: float) -> None:
        runs = [run for run in self._records() if run.cohort == name]
        method = registry.method(cohort.method)
        words = f"{method.title}, {_runs(cohort.n_runs)}"
        if all(run.state in RESULTS for run in runs):
            self.board.update(log=f"{words}: kept from before.")
            return
        with self.board.writing():
            self.store.set_run_states(name, [(run.position, "running", "") for run in runs])
        self.board.update(message=f"Training {words}.", log=f"{words}: started.")
        self.board.new_pace()
        begun = time.monotonic()
        try:
            outcome = self.train(
                task, cohort, method, registry.net(train.net), device=device, cancelled=self.board.cancel.is_set,
                emit=lambda progress: self._emit(name, done, progress), checkpoint=self._checkpoint(name, words),
                keep=lambda saved: self._keep_checkpoint(name, saved),
            )  # fmt: skip
            self._keep(name, outcome)
        except (Stopped, Closed, NotFound):
            raise
        except Exception as error:
            where = "" if isinstance(error, BadInput) else self._write_log(error)
            self._fail_cohort(name, len(runs), words, words_of(error, where))
            return
        for message in outcome.messages:
            self.board.update(log=message)
        self.board.update(log=f"{words}: finished in {time.monotonic() - begun:.1f} s.")

    # ------------------------------------------------------------ what the engine tells

    def _emit(self, name: str, done: float, progress: Progress) -> None:
        """Show progress; store a new history at most twice a second, and never for more than a tenth of the time."""
        self.board.advance(done + progress.iteration)
        now = time.monotonic()
        if progress.history is not None and now - self.written > self.pause:
            with self.board.writing():
                self.store.put_history(name, progress.history)
            self.written = time.monotonic()
            self.pause = max(HISTORY_SECONDS, 10 * (self.written - now))

    def _keep_checkpoint(self, name: str, saved: dict) -> None:
        with self.board.writing():
            self.store.put_checkpoint(name, saved)

    def _checkpoint(self, name: str, words: str) -> dict | None:
        """What the cohort can go on from. A damaged one is thrown away: the cohort begins anew."""
        try:
            found = self.store.checkpoint(name)
        except StoreError:
            self.store.drop_checkpoint(name)
            self.board.update(log=f"{words}: its checkpoint was damaged, so it begins anew.")
            return None
        if found is not None:
            self.board.update(log=f"{words}: goes on from its checkpoint.")
        return found

    def _keep(self, name: str, outcome: Outcome) -> None:
        with self.board.writing():
            self.store.put_history(name, outcome.history)
            if outcome.state == "cancelled" or outcome.val is None or outcome.test is None:
                raise Stopped
            self.store.put_scores(name, "val", outcome.val)
            self.store.put_scores(name, "test", outcome.test)
            self.store.put_weights(name, outcome.weights)
            self.store.set_run_states(name, _ends(outcome))
            self.store.drop_checkpoint(name)

    # ------------------------------------------------------------ ends

    def _count(self, done: float) -> None:
        states = [run.state for run in self._records()]
        finished, diverged, failed = (states.count(s) for s in ("finished", "diverged", "failed"))
        self.board.update(finished=finished, diverged=diverged, failed=failed, done=done)

    def _finish(self) -> None:
        job, records = self.board.read(), self._records()
        counts = [(job.finished, "finished"), (job.diverged, "diverged"), (job.failed, "failed")]
        parts = ", ".join(f"{n:,} {word}" for n, word in counts if n)
        words = f"{parts} of {_runs(job.n_runs)} in {time.time() - job.started:.0f} s."
        if records and job.failed == len(records):
            notes = list(dict.fromkeys(run.note for run in records if run.note))
            self.board.close("failed", notes[0] if notes else words, log=words, done=job.total)
        else:
            self.board.close("finished", words, done=job.total)

    def _fail_cohort(self, name: str, n: int, words: str, sentence: str) -> None:
        with self.board.writing():
            self.store.set_run_states(name, [(p, "failed", sentence) for p in range(n)])
        self.board.update(log=f"{words}: failed. {sentence}")

    def _stop(self) -> None:
        end_job(self.store, self.board, self.stop_state())

    def _fail(self, sentence: str) -> None:
        job = self.board.read()
        try:
            self.board.close("failed", sentence, before=lambda: set_unfinished(self.store, job.study, job.id, "failed",
                                                                               sentence))
        except BadInput as error:  # the store itself fails: what remains is the snapshot in memory
            LOG.error("job %s: %s; then %s", job.id, sentence, error)

    def _write_log(self, error: Exception) -> str:
        """Keep the traceback for the operator; returns where, "" where that fails too."""
        name = f"logs/{self.board.read().id}.log"
        try:
            (self.home / "logs").mkdir(parents=True, exist_ok=True)
            with (self.home / name).open("a", encoding="utf-8", errors="replace") as file:
                file.write(time.strftime("%Y-%m-%d %H:%M:%S\n") + "".join(traceback.format_exception(error)))
        except OSError:
            LOG.exception("job %s failed", self.board.read().id, exc_info=error)
            return ""
        return name


ENDINGS = {
    "cancelled": "Cancelled. What was measured by then is kept; resume it to go on.",
    "interrupted": "The server stopped while this job was running. Resume it to go on from its last checkpoint.",
}


def end_job(store: Store, board: Board, state: str, message: str = "") -> None:
    """End a job from outside or between two batches: "cancelled" or "interrupted", its unfinished runs likewise.

    Once this returns, the job's worker writes nothing more, even if it is still busy.
    """
    job = board.read()
    with suppress(NotFound):  # its study was deleted: there is nothing to keep in order
        board.close(state, message or ENDINGS[state], before=lambda: set_unfinished(store, job.study, job.id, state))


def _ends(outcome: Outcome) -> list[tuple[int, str, str]]:
    """(position, state, note) of every run of a finished cohort."""
    ends = []
    for position, code in enumerate(outcome.history.state):
        state, note = RUN_STATES[code], outcome.notes[position]
        if state == "diverged":
            note = f"Its loss stopped being a number by iteration {int(outcome.history.diverged_at[position]):,}."
        ends.append((position, state, note))
    return ends


def _size(cohort: Cohort) -> int:
    """Run-iterations of a cohort, the unit of progress."""
    return cohort.n_models * cohort.budget.iterations


def _runs(n: int) -> str:
    return f"{n:,} run{'' if n == 1 else 's'}"
