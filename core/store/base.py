"""What every store offers, whatever database lies beneath, and how it says that something is not there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.types import BadInput, History, JobSnapshot, RunRecord, Scores, StudySpec, TrainSpec

if TYPE_CHECKING:  # torch takes a second to import
    from torch import Tensor


class StoreError(BadInput):
    """Something kept in the store cannot be read or written. One sentence, like every BadInput."""


class NotFound(StoreError, LookupError):
    """A study, job or run that the store does not have (deleted, or a mistyped link)."""

    def __init__(self, kind: str, ident: object) -> None:
        super().__init__(kind, f"{str(ident)[:60]!r}", f"a {kind.lower()} kept here",
                         "it may have been deleted; go back to the start page")


@dataclass(frozen=True)
class StudyRow:
    """A study as stored; created and updated are time.time() seconds. name is spec.name."""

    id: str
    name: str
    spec: StudySpec
    created: float
    updated: float


class Store(Protocol):
    """Studies, jobs and runs in a database, their arrays in files. Safe from several threads and processes.

    Ids of studies, jobs and cohorts cannot be guessed. Whatever is asked by an id that is not there raises NotFound;
    what cannot be read raises StoreError.
    """

    def create_study(self, spec: StudySpec) -> str:
        """Keep a new study; returns its id."""
        ...

    def studies(self) -> list[StudyRow]:
        """All readable studies, newest change first."""
        ...

    def study(self, ident: str) -> StudyRow:
        """One study."""
        ...

    def update_study(self, ident: str, spec: StudySpec) -> None:
        """Replace a study's description."""
        ...

    def rename_study(self, ident: str, name: str) -> None:
        """Give a study another name."""
        ...

    def delete_study(self, ident: str) -> None:
        """Remove a study with its jobs, runs and arrays; nothing happens where it is gone already."""
        ...

    def version(self, study: str) -> str:
        """A token that changes whenever anything of the study changed; "" for a study that is not there."""
        ...

    def add_job(self, study: str, train: TrainSpec, owner: str = "") -> str:
        """Keep a new queued job; returns its id. owner: who will work on it."""
        ...

    def job(self, ident: str) -> JobSnapshot:
        """One job as last written."""
        ...

    def job_spec(self, ident: str) -> TrainSpec:
        """What a job trains."""
        ...

    def jobs(self, study: str | None = None) -> list[JobSnapshot]:
        """Jobs of a study, or of all, oldest first."""
        ...

    def job_owner(self, ident: str) -> str:
        """Who works on a job, "" for nobody."""
        ...

    def put_job(self, snapshot: JobSnapshot, owner: str | None = None) -> None:
        """Replace a job's snapshot; None leaves its owner."""
        ...

    def add_runs(self, new: Iterable[RunRecord]) -> None:
        """Keep new runs; a run at the same cohort and position is replaced."""
        ...

    def set_run_states(self, cohort: str, states: Sequence[tuple[int, str, str]]) -> None:
        """Set (position, state, note) of runs of a cohort."""
        ...

    def runs(self, study: str, job: str | None = None) -> list[RunRecord]:
        """Runs of a study or of one of its jobs, in the order they were added."""
        ...

    def run(self, study_or_key: str, key: str | None = None) -> RunRecord:
        """run(study, key), or run(key) in any study. Of several with one key the latest with a result."""
        ...

    def put_history(self, cohort: str, history: History) -> None:
        """Replace a cohort's measurements."""
        ...

    def history(self, cohort: str) -> History | None:
        """A cohort's measurements; None before the first."""
        ...

    def put_scores(self, cohort: str, split: str, scores: Scores) -> None:
        """Keep final scores on "val" or "test"."""
        ...

    def scores(self, cohort: str, split: str, positions: Sequence[int] | None = None) -> Scores | None:
        """Final scores of all runs or of those at `positions` (only they are read); None before the end."""
        ...

    def put_weights(self, cohort: str, weights: Mapping[str, Tensor]) -> None:
        """Keep final weights, leading axis the models."""
        ...

    def weights(self, cohort: str) -> dict[str, Tensor]:
        """Final weights; empty before the end and for methods without any."""
        ...

    def put_checkpoint(self, cohort: str, checkpoint: Mapping[str, Tensor]) -> None:
        """Replace what the cohort can go on from."""
        ...

    def checkpoint(self, cohort: str) -> dict[str, Tensor] | None:
        """What the cohort can go on from, or None."""
        ...

    def drop_checkpoint(self, cohort: str) -> None:
        """Forget it."""
        ...
