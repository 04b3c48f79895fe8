"""A kept model scores rows once more: rows whose attributes were changed, or rows it has never seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import torch

from core import registry
from core.data.encode import encode_features
from core.engine.evaluate import probabilities, stacked_logits
from core.store.base import Store
from core.types import BadInput, Dataset, Groups, RunRecord, Task


def score_again(store: Store, run: RunRecord, task: Task, x: np.ndarray) -> np.ndarray:
    """Scores of new rows by the run's kept weights.

    Args:
        run: a finished run. task: what it was trained on. x: (n, D) float32, encoded as `task.x` is.

    Returns:
        (n,) probability of the positive class for two classes, else (n, C).

    Raises:
        BadInput: the run keeps no weights (scikit-learn models), or rows of another width.
    """
    weights = store.weights(run.cohort if not run.parent else _trained(store, run).cohort)
    if not weights:
        raise BadInput("Model", "one whose weights are not kept", "a model trained on the stacked engine",
                       "choose another model")
    if x.shape[1:] != task.x.shape[1:]:
        raise BadInput("Rows", f"{x.shape[-1]} inputs", f"{task.x.shape[-1]} inputs", "encode them as the task is")
    models = next(iter(weights.values())).shape[0]
    owner = run if not run.parent else _trained(store, run)
    runs = sum(r.cohort == owner.cohort for r in store.runs(run.study, owner.job))
    place = owner.position // max(1, runs // models)
    one = {name: value[place: place + 1] for name, value in weights.items()}
    z = stacked_logits(registry.net(run.net), one, torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32)))
    return probabilities(z)[0]


def as_group(dataset: Dataset, groups: Groups, task: Task, rows: np.ndarray, group: int) -> np.ndarray:
    """Rows encoded as if they belonged to another group: every attribute column takes that group's most frequent value
    (a number its median), all other columns stay.

    Args:
        rows: (n,) row numbers of the dataset. group: number of the group.

    Returns:
        (n, D) float32, encoded with the training rows of `task`.
    """
    frame = dataset.frame
    there = dataset.attributes.loc[groups.code == group]
    swapped = frame.iloc[rows].copy()
    for column in there.columns.intersection(frame.columns):
        known = there[column].dropna()
        number = pd.api.types.is_numeric_dtype(frame[column]) and not pd.api.types.is_bool_dtype(frame[column])
        value = None if known.empty else known.sort_values().iloc[len(known) // 2] if number else known.mode().iloc[0]
        swapped[column] = pd.Series([value] * len(swapped), index=swapped.index, dtype=frame[column].dtype)
    both = pd.concat([frame, swapped], ignore_index=True)
    return encode_features(replace(dataset, frame=both), task.splits.train).values[len(frame):]


def sees_attributes(dataset: Dataset) -> bool:
    """Whether models of this dataset see an attribute column at all."""
    return bool(dataset.images is None and len(dataset.attributes.columns.intersection(dataset.frame.columns)))


def _trained(store: Store, run: RunRecord) -> RunRecord:
    """The run that a saved rule stands on."""
    for found in store.runs(run.study, run.job):
        if found.key == run.parent and not found.parent:
            return found
    raise BadInput("Model", "a rule whose model is gone", "a rule on a kept model", "choose another model")
