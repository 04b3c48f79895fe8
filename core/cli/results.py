"""Results of a study as tables: runs.parquet, curves.parquet, scores.parquet and study.json.

Columns of measurements are named like measures ("accuracy", "tpr.gap", "accuracy.worst@subgroup"), those of one group
with the group in brackets ("tpr[women]", "n[women]"), those of a class within a group "accuracy[yes, women]".
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from core import registry
from core.counts import n_of, partition, partition_labels, predict
from core.metrics.measure import measures, parse
from core.store.base import Store
from core.types import SPLITS, History, RunRecord, Scores, Task

RESULTS = ("finished", "diverged")
WHOLE_SUBGROUP = "accuracy"  # the one metric that a single class of a single group has
SCORE_ROWS = 2_000_000
FILES = ("runs.parquet", "curves.parquet", "scores.parquet", "study.json")


def write_results(store: Store, study: str, task: Task, out: Path, made: Mapping[str, Any]) -> list[str]:
    """Write the four files into `out`, each whole; returns their names. made: the object of study.json."""
    cohorts = by_cohort(store.runs(study))
    runs = _together([run_frame(store, records, task) for records in cohorts])
    _whole(out / "runs.parquet", lambda path: runs.to_parquet(path, index=False))
    _whole(out / "curves.parquet", lambda path: _write_curves(store, cohorts, task, path))
    _whole(out / "scores.parquet", lambda path: _write_scores(store, cohorts, task, path))
    text = json.dumps(made, indent=2, ensure_ascii=False, allow_nan=False)
    _whole(out / "study.json", lambda path: path.write_text(text, encoding="utf-8"))
    return list(FILES)


def by_cohort(runs: Sequence[RunRecord]) -> list[list[RunRecord]]:
    """Runs cohort by cohort, each in the order of positions."""
    found: dict[str, list[RunRecord]] = {}
    for run in runs:
        found.setdefault(run.cohort, []).append(run)
    return [sorted(records, key=lambda run: run.position) for records in found.values()]


def _whole(path: Path, write) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write(part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _together(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One frame; a setting that is a number in one method and a word in another becomes words."""
    whole = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame({"key": pd.Series(dtype=str)})
    for name in [name for name in whole if str(name).startswith("setting.")]:
        given = whole[name].dropna()
        if given.map(type).nunique() > 1 and not given.map(lambda v: type(v) in (int, float)).all():
            whole[name] = whole[name].map(lambda v: str(v) if v == v else None)
    return whole


# ---------------------------------------------------------------- runs


def run_columns(records: Sequence[RunRecord]) -> dict[str, list[Any]]:
    """What the runs were: one value a run."""
    names = list(dict.fromkeys(name for run in records for name in run.settings))
    return {
        "key": [run.key for run in records],
        "method": [run.method for run in records],
        "title": [registry.method(run.method).title for run in records],
        "net": [run.net for run in records],
        "seed": [run.seed for run in records],
        "state": [run.state for run in records],
        "note": [run.note for run in records],
        "settings": [json.dumps(dict(run.settings), sort_keys=True) for run in records],
        **{f"setting.{name}": [run.settings.get(name) for run in records] for name in names},
    }


def run_frame(store: Store, records: Sequence[RunRecord], task: Task) -> pd.DataFrame:
    """One row a run and split of a cohort: what it was, and every measure at the end (missing before the end)."""
    history, what = store.history(records[0].cohort), pd.DataFrame(run_columns(records))
    ended = history is not None and all(run.state in RESULTS for run in records)
    frames = []
    for p, split in enumerate(SPLITS):
        head = what.assign(split=split)
        if ended and history is not None and len(history.iteration):
            head["iteration"] = history.iteration[-1]
            counts = history.counts[-1, p]
            keys = measures(task.n_classes)
            values = {**measure_columns(counts, history.n[p], keys), **group_columns(counts, history.n[p], task)}
            head = pd.concat([head, pd.DataFrame(values)], axis=1)
        frames.append(head)
    return pd.concat(frames, ignore_index=True)


def measure_columns(counts: np.ndarray, n: np.ndarray, keys: Sequence[str]) -> dict[str, np.ndarray]:
    """Counts (..., A, C, C) and cell sizes n (C, A) -> key -> (...), and "n", the number of rows."""
    found = {"n": np.full(counts.shape[:-3], int(n.sum()))}
    return found | {key: parse(key).of(counts, n=n) for key in keys}


def group_columns(counts: np.ndarray, n: np.ndarray, task: Task) -> dict[str, np.ndarray]:
    """Counts (..., A, C, C) -> every metric in every group, accuracy in every class of a group, and n of both."""
    found: dict[str, np.ndarray] = {}
    for by in ("attr", "subgroup"):
        labels, sizes = partition_labels(by, task.classes, task.attr_labels), n_of(n, by)
        parts = partition(counts, by)
        known = [m for m in registry.metrics().values() if task.n_classes == 2 or not m.binary]
        values = {m.name: m.of(parts) for m in known if by == "attr" or m.name == WHOLE_SUBGROUP}
        for g, label in enumerate(labels):
            found[f"n[{label}]"] = np.full(counts.shape[:-3], int(sizes[g]))
            found |= {f"{name}[{label}]": value[..., g] for name, value in values.items()}
    return found


# ---------------------------------------------------------------- curves


def curve_frame(store: Store, records: Sequence[RunRecord], task: Task) -> pd.DataFrame | None:
    """One row a run, split and evaluation; None for a cohort that was never measured."""
    history = store.history(records[0].cohort)
    if history is None or not len(history.iteration):
        return None
    keys = [run.key for run in records]
    frames = []
    for p, split in enumerate(SPLITS):
        counts, loss = history.counts[:, p], history.loss[:, p]  # (E, R, A, C, C), (E, R, C, A)
        values = measure_columns(counts, history.n[p], measures(task.n_classes)) | _losses(history, p, task)
        values |= group_columns(counts, history.n[p], task)
        shape = loss.shape[:2]
        frame = pd.DataFrame({name: value.reshape(-1) for name, value in values.items()})
        frame.insert(0, "iteration", np.repeat(history.iteration, shape[1]))
        frame.insert(0, "split", split)
        frame.insert(0, "key", np.tile(np.array(keys, dtype=object), shape[0]))
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _losses(history: History, p: int, task: Task) -> dict[str, np.ndarray]:
    """(E, R): "loss" over everyone, and in every class of a group."""
    loss = history.loss[:, p]
    mass = np.nan_to_num(history.counts[:, p].sum(-1).swapaxes(-1, -2))  # (E, R, C, A) weight of each cell
    total = mass.sum((-2, -1))
    broken = np.isnan(history.counts[:, p]).any((-3, -2, -1)) | (total == 0)
    mean = np.nansum(np.where(mass > 0, loss, 0) * mass, axis=(-2, -1)) / np.where(total > 0, total, 1)
    labels = partition_labels("subgroup", task.classes, task.attr_labels)
    flat = loss.reshape(*loss.shape[:2], -1)
    return {"loss": np.where(broken, np.nan, mean)} | {f"loss[{label}]": flat[..., g] for g, label in enumerate(labels)}


def _write_curves(store: Store, cohorts: Sequence[Sequence[RunRecord]], task: Task, path: Path) -> None:
    """Cohort by cohort, so that a large study does not have to fit into memory."""
    writer = None
    for records in cohorts:
        frame = curve_frame(store, records, task)
        if frame is not None:
            part = pa.Table.from_pandas(frame, preserve_index=False)
            writer = writer or pq.ParquetWriter(path, part.schema)
            writer.write_table(part)
    if writer is None:
        _together([]).to_parquet(path, index=False)
    else:
        writer.close()


# ---------------------------------------------------------------- scores


def _write_scores(store: Store, cohorts: Sequence[Sequence[RunRecord]], task: Task, path: Path) -> None:
    several = [f"score[{name}]" for name in task.classes] if task.n_classes > 2 else ["score"]
    words = pa.dictionary(pa.int32(), pa.string())
    kinds = [("key", words), ("split", words), ("row", pa.int64()), ("y", words), ("group", words),
             ("weight", pa.float32()), *((name, pa.float32()) for name in several), ("predicted", words)]
    with pq.ParquetWriter(path, pa.schema(kinds), compression="zstd") as writer:
        for records in cohorts:
            for split in ("val", "test"):
                for chunk, scores in _chunks(store, records, split):
                    writer.write_table(_score_table(chunk, split, scores, task, several, writer.schema))


def _chunks(store: Store, records: Sequence[RunRecord], split: str) -> Iterator[tuple[Sequence[RunRecord], Scores]]:
    """Runs of a cohort with their scores, as many at a time as make about two million rows."""
    ended = [run for run in records if run.state in RESULTS]
    first = store.scores(records[0].cohort, split, [ended[0].position]) if ended else None
    if first is None:
        return
    width = max(1, SCORE_ROWS // max(1, len(first.y)))
    for start in range(0, len(ended), width):
        chunk = ended[start : start + width]
        scores = store.scores(records[0].cohort, split, [run.position for run in chunk])
        if scores is not None:
            yield chunk, scores


def _score_table(
    runs: Sequence[RunRecord], split: str, scores: Scores, task: Task, several: Sequence[str], schema: pa.Schema
) -> pa.Table:
    n, r = len(scores.y), len(runs)
    chosen = predict(scores.score, scores.thresholds, scores.attr).astype(np.int32).reshape(-1)
    flat = scores.score.reshape(r * n, -1)
    columns = [
        _words(np.repeat(np.arange(r), n), [run.key for run in runs]), _words(np.zeros(r * n), [split]),
        pa.array(np.tile(scores.rows, r)), _words(np.tile(scores.y, r), task.classes),
        _words(np.tile(scores.attr, r), task.attr_labels), pa.array(np.tile(scores.w, r)),
        *(pa.array(flat[:, k]) for k in range(len(several))), _words(chosen, task.classes, mask=chosen < 0),
    ]  # fmt: skip
    return pa.Table.from_arrays(columns, schema=schema)


def _words(codes: np.ndarray, words: Sequence[str], mask: np.ndarray | None = None) -> pa.DictionaryArray:
    places = pa.array(codes.astype(np.int32), mask=mask)
    return pa.DictionaryArray.from_arrays(places, pa.array(list(words), pa.string()))


# ---------------------------------------------------------------- summary


def summary_rows(store: Store, study: str) -> list[dict[str, Any]]:
    """A line a method and setting on test rows, seeds averaged: accuracy and the worst class of a group."""
    found: dict[str, list[tuple[RunRecord, float, float]]] = {}
    for records in by_cohort(store.runs(study)):
        history = store.history(records[0].cohort)
        for run in records:
            if run.state in RESULTS and history is not None:
                counts = history.counts[-1, SPLITS.index("test"), run.position]
                accuracy, worst = (float(parse(key).of(counts)) for key in ("accuracy", "accuracy.worst@subgroup"))
                found.setdefault(run.setting_key, []).append((run, accuracy, worst))
    rows = []
    for runs in found.values():
        accuracy, worst = (float(np.mean(values)) for values in list(zip(*runs, strict=True))[1:])
        first = runs[0][0]
        rows.append({
            "method": first.method, "title": registry.method(first.method).title, "settings": dict(first.settings),
            "seeds": len(runs), "accuracy": _or_null(accuracy), "accuracy.worst@subgroup": _or_null(worst),
        })  # fmt: skip
    return rows


def _or_null(value: float) -> float | None:
    return round(value, 6) if np.isfinite(value) else None
