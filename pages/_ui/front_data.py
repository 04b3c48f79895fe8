"""The numbers of the trade-off front, computed once for each version of the study and each view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core import registry
from core.figures.answer import Choice, best_run, choose, differences, front_answer
from core.figures.by_group import extremes_in_words
from core.figures.front import front_table
from core.figures.thresholds import baseline_table
from core.types import History, RunRecord, Scores, Task
from pages._ui import results, state
from pages._ui.front import SPLIT_WORDS, View

LIVE_DRAWS, PAIRED_DRAWS = 200, 300
Places = tuple[tuple[str, int], ...]  # cohort and position of every run


@dataclass(frozen=True)
class Front:
    """One moment of a study (`version` names it): runs shown, histories by cohort, tables by split ("val" always, with
    intervals only where it is shown), what is behind the points by split, the answer in words (not escaped), and all
    methods of the study in the order they came, so that each keeps its colour and mark."""

    version: str
    runs: list[RunRecord]
    histories: Mapping[str, History]
    tables: Mapping[str, pd.DataFrame]
    behind: Mapping[str, pd.DataFrame | None]
    answer: str
    order: list[str]


def read(study: str, task: Task, view: View) -> Front:
    """What is known now."""
    version = state.store().version(study)
    every = results.runs(study)
    runs = [run for run in every if not view.methods or run.method in view.methods]
    known = results.histories(study, runs)
    tables = {split: _table(f"{study}:{version}:{split}:{view}", runs, known, view, split, task)
              for split in {"val": 0, **dict.fromkeys(view.splits)}}
    behind = {split: _behind(task, runs, known, view, split) if view.baseline else None for split in view.splits}
    chosen, main = choose(tables["val"], x=view.x, y=view.y), view.splits[-1]
    found = _compared(runs, chosen, view, main)
    said = front_answer(tables[main], chosen, x=view.x, y=view.y, found=found, behind=behind[main],
                        chosen_on="" if main == "val" else SPLIT_WORDS["val"])
    said += _whose(runs, known, chosen, view, main, task)
    order = list(dict.fromkeys(run.method for run in every))
    return Front(f"{study}:{version}", runs, known, tables, behind, said, order)


def _whose(runs: Sequence[RunRecord], known: Mapping[str, History], chosen: Choice | None, view: View, split: str,
           task: Task) -> str:
    """ " In that model, worst: yes, women (17 rows)." of the chosen setting; "" where the measure is no group's."""
    if chosen is None:
        return ""
    mine = [run for run in runs if run.setting_key == chosen.chosen]
    words = extremes_in_words(mine, known, view.y, split=split, min_n=view.min_n, classes=task.classes,
                              attr_labels=task.attr_labels)
    return f" In that model, {words}." if words else ""


@st.cache_resource(show_spinner=False, max_entries=40)
def _table(key: str, _runs: list[RunRecord], _known: Mapping[str, History], _view: View, _split: str,
           _task: Task) -> pd.DataFrame:
    shown = _split in _view.splits
    return front_table(
        _runs, _known, x=_view.x, y=_view.y, split=_split, draws=LIVE_DRAWS if shown else None,
        worlds=results.worlds(_runs, _split) if shown else None,
        classes=_task.classes, attr_labels=_task.attr_labels, min_n=_view.min_n, methods=registry.methods())


def _behind(task: Task, runs: Sequence[RunRecord], known: Mapping[str, History], view: View,
            split: str) -> pd.DataFrame | None:
    """What thresholds alone make of the most accurate plain model: found on validation rows, measured on `split`."""
    plain = [run for run in runs if run.method == "erm" and run.state == "finished" and not run.parent]
    best = best_run(plain, known, classes=task.classes, attr_labels=task.attr_labels)
    if best is None or task.n_classes != 2:
        return None
    return _baseline(best.cohort, best.position, split, view.x, view.y, view.min_n)


@st.cache_resource(show_spinner=False, max_entries=40)
def _baseline(cohort: str, position: int, split: str, x: str, y: str, min_n: int) -> pd.DataFrame | None:
    fit, show = (results.cohort_scores(cohort, name, (position,)) for name in ("val", split))
    if fit is None or show is None:
        return None
    kinds = (("one threshold for everybody", True), ("a threshold for each group", False))
    return pd.concat([baseline_table(fit, show, 0, x=x, y=y, label=label, shared=shared, min_n=min_n)
                      for label, shared in kinds], ignore_index=True)


def _compared(runs: Sequence[RunRecord], chosen: Choice | None, view: View,
              split: str) -> dict[str, tuple[float, float, float]] | None:
    """Chosen minus reference with paired intervals; None while one of the two still trains."""
    if chosen is None or not chosen.reference or chosen.chosen == chosen.reference:
        return None
    pair = [[run for run in runs if run.setting_key == ident and run.state != "diverged"]
            for ident in (chosen.reference, chosen.chosen)]
    first, second = (results.scores(side, split) for side in pair)
    if first is None or second is None or len(first.y) != len(second.y):
        return None
    places = tuple(tuple((run.cohort, run.position) for run in side) for side in pair)
    return _gains(places, split, (view.x, view.y), view.min_n, first, second)


@st.cache_resource(show_spinner=False, max_entries=40)
def _gains(places: tuple[Places, ...], split: str, measures: tuple[str, str], min_n: int, _first: Scores,
           _second: Scores) -> dict[str, tuple[float, float, float]]:
    """Finished runs do not change: their differences are drawn once, however often the study grows."""
    return differences(_first, _second, measures, PAIRED_DRAWS, np.random.default_rng(0), min_n)
