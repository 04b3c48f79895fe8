"""What is being audited, in memory once for all sessions, and everything computed about it, each computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core.audit.audit import Audit, audit
from core.audit.prepare import make_predictions
from core.audit.trained import from_scores
from core.store.audits import KeptAudit
from core.types import AuditSpec, Dataset, Groups, Predictions, Scores
from pages._ui import held, state


@dataclass(frozen=True)
class Subject:
    """Rows under audit. key names everything they depend on; title in words (not escaped); source: "table" or "run";
    model: the place of the audited model among `rows.models`; other: that of the one it is compared with, or None."""

    key: str
    title: str
    rows: Predictions
    source: str
    model: int = 0
    other: int | None = None


def of_table(kept: KeptAudit, spec: AuditSpec) -> Predictions:
    """The checked rows of a table. Raises BadInput where the columns do not fit."""
    return _of_table(held.digest(kept.data, spec), state.table(kept.data).frame, spec)


def of_runs(key: str, dataset: Dataset, groups: Groups, scores: Scores, names: tuple[str, ...], weighted: bool,
            min_n: int) -> Predictions:
    """The rows that runs were measured on; `key` names runs and split."""
    return _of_runs(f"{key}:{names}:{weighted}:{min_n}", dataset, groups, scores, names, weighted, min_n)


def audited(subject: Subject, model: int | None = None) -> Audit:
    """Every number by group of one model."""
    place = subject.model if model is None else model
    return computed(subject, f"audit:{place}", lambda: audit(subject.rows, place))


def computed(subject: Subject, what: str, make: Callable[[], Any]) -> Any:
    """The result of `make`, made once for this subject and `what` (which names all other inputs)."""
    return _computed(subject.key, what, make)


@st.cache_resource(show_spinner="Reading the predictions …", max_entries=6)
def _of_table(key: str, _frame: pd.DataFrame, _spec: AuditSpec) -> Predictions:
    return make_predictions(_frame, _spec)


@st.cache_resource(show_spinner=False, max_entries=12)
def _of_runs(key: str, _dataset: Dataset, _groups: Groups, _scores: Scores, _names: tuple[str, ...], _weighted: bool,
             _min_n: int) -> Predictions:
    return from_scores(_dataset, _groups, _scores, _names, weighted=_weighted, min_n=_min_n)


@st.cache_resource(show_spinner="Measuring …", max_entries=120)
def _computed(key: str, what: str, _make: Callable[[], Any]) -> Any:
    return _make()
