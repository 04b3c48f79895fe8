"""A kept model scores the same rows to the same numbers, and other rows as if their group were another."""

from __future__ import annotations

import numpy as np
import pytest
from filled import fill

from core.data.groups import make_groups
from core.data.load import load_dataset, load_task
from core.jobs.again import as_group, score_again, sees_attributes
from core.store.sql import SqlStore
from core.types import BadInput


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    home = tmp_path_factory.mktemp("again")
    study = fill(home)
    store = SqlStore(home)
    spec = store.study(study).spec
    dataset = load_dataset(spec, home)
    yield store, store.runs(study), dataset, make_groups(dataset, spec.groups), load_task(spec, home)
    store.close()


def test_the_same_rows_get_the_scores_that_were_kept(kept):
    store, runs, _, _, task = kept
    for run in runs:
        scores = store.scores(run.cohort, "test", [run.position])
        again = score_again(store, run, task, task.x[scores.rows])
        assert np.allclose(again, scores.score[0], atol=1e-6), run.method


def test_rows_treated_as_their_own_group_keep_all_columns_but_the_attributes(kept):
    _, _, dataset, groups, task = kept
    rows = task.splits.test
    assert sees_attributes(dataset)
    moved = as_group(dataset, groups, task, rows, 1)
    names = [str(c) for c in dataset.attributes.columns]
    other = [k for k, name in enumerate(task.feature_names) if not name.startswith(tuple(names))]
    assert np.array_equal(moved[:, other], task.x[rows][:, other])
    assert not np.array_equal(moved, task.x[rows])
    own = [k for k in range(len(task.feature_names)) if k not in other]
    assert all(len(np.unique(moved[:, k])) == 1 for k in own)


def test_rows_of_another_width_and_models_without_weights_are_refused(kept, monkeypatch):
    store, runs, _, _, task = kept
    with pytest.raises(BadInput, match="inputs"):
        score_again(store, runs[0], task, task.x[:3, 1:])
    monkeypatch.setattr(store, "weights", lambda cohort: {})
    with pytest.raises(BadInput, match="weights"):
        score_again(store, runs[0], task, task.x[:3])
