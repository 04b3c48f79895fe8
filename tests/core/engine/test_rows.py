from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from toys import cohort_of, pool_of

from core.engine.rows import Batches, Stream, gather_rows, make_info, stack_hp
from core.types import BadInput, Param, Rows


def test_a_stream_shuffles_every_row_once_per_block():
    stream = Stream(np.arange(7), np.ones(7, np.float32), None, seed=3)
    taken = stream.take(0, 21).reshape(3, 7)
    assert (np.sort(taken, axis=1) == np.arange(7)).all()
    assert not (taken[0] == taken[1]).all()


def test_any_part_of_a_stream_can_be_reached_without_the_ones_before():
    stream = Stream(np.arange(7), np.ones(7, np.float32), None, seed=3)
    assert (stream.take(0, 40)[13:29] == stream.take(13, 29)).all()


def test_sampling_probabilities_are_met():
    prob = np.array([0.7, 0.1, 0.1, 0.1])
    stream = Stream(np.arange(4), np.ones(4, np.float32), np.cumsum(prob), seed=0)
    share = np.bincount(stream.take(0, 40_000), minlength=4) / 40_000
    assert np.abs(share - prob).max() < 0.01


def test_models_of_one_seed_share_a_stream_and_seeds_do_not(task, erm):
    method = replace(erm, params=(Param("eta", 0.1, 0.0, 1.0),))
    cohort = cohort_of(method, eta=(0.1, 0.2, 0.3))
    pool = pool_of(task, method, cohort)
    assert pool.stream_of == (0, 0, 0, 1, 1, 1)
    batches = Batches(pool, task, method, 32)
    batch = batches.batch(*(part[0] for part in batches.chunk(0, 1)))
    assert batch.x.shape == (6, 32, 6)
    assert torch.equal(batch.x[0], batch.x[2]) and not torch.equal(batch.x[0], batch.x[3])


def test_a_single_stream_is_shared_without_a_run_axis(task, erm):
    cohort = cohort_of(erm, seeds=(5,))
    batches = Batches(pool_of(task, erm, cohort), task, erm, 32)
    batch = batches.batch(*(part[0] for part in batches.chunk(0, 1)))
    assert batch.x.shape == (32, 6) and set(batches.dims) == {None}
    assert torch.equal(batch.t.argmax(-1), batch.y)


def test_attribute_groups_are_hidden_from_methods_that_do_not_declare_them(task, erm):
    cohort = cohort_of(erm, seeds=(0,))
    pool = pool_of(task, erm, cohort)
    blind, seeing = erm, replace(erm, needs=frozenset({"attr_train"}))
    for method, hidden in ((blind, True), (seeing, False)):
        batches = Batches(pool, task, method, 64)
        batch = batches.batch(*(part[0] for part in batches.chunk(0, 1)))
        assert bool((batch.a[:, 0] == 1).all()) == hidden
        info = make_info(task, method, pool, pool.streams[0], 64, 32, 10)
        assert (info.attr_counts[1] == 0) == hidden
        assert info.class_counts.sum() == len(task.splits.train)


def test_rows_weights_multiply_the_weights_of_the_data(erm):
    from toys import make_task

    task = make_task(weighted=True)
    cohort = cohort_of(erm, seeds=(0,))
    rows = [Rows(weight=np.full(len(task.splits.train), 2.0))]
    pool = pool_of(task, erm, cohort, rows)
    assert np.allclose(pool.streams[0].weight, 2 * task.w[task.splits.train])


def test_synthetic_rows_are_laid_after_the_real_ones(task, erm):
    cohort = cohort_of(erm, seeds=(0,))
    new = Rows(x=np.full((3, 6), 9.0), y=np.array([1, 1, 0]), attr=np.array([0, 1, 1]))
    pool = pool_of(task, erm, cohort, [new])
    n = len(task.splits.train)
    assert pool.x.shape[0] == n + 3 and (pool.x[n:] == 9).all()
    assert sorted(pool.streams[0].positions[-3:]) == [n, n + 1, n + 2]


def test_rows_outside_the_training_part_are_refused(task, erm):
    cohort = cohort_of(erm, seeds=(0,))
    with pytest.raises(ValueError, match="outside"):
        pool_of(task, erm, cohort, [Rows(index=task.splits.test[:5])])
    with pytest.raises(BadInput, match="no row"):
        pool_of(task, erm, cohort, [Rows(index=np.array([], dtype=np.int64))])


def test_prepare_is_asked_once_for_each_seed_and_distinct_setting(task, erm):
    calls = []

    def prepare(task, hp, rng):
        calls.append(hp)
        return Rows(weight=np.full(len(task.splits.train), hp["power"]))

    method = replace(
        erm, prepare=prepare, params=(Param("power", 1.0, 0.0, 2.0, stage="prepare"), Param("eta", 0.1, 0.0, 1.0))
    )
    cohort = cohort_of(method, power=(0.5, 1.0), eta=(0.1, 0.2, 0.3))
    rows = gather_rows(task, method, cohort, list(range(cohort.n_models)))
    assert len(calls) == 4 and len({id(r) for r in rows}) == 4


def test_numeric_settings_are_stacked_and_words_are_not(erm):
    method = replace(erm, params=(Param("eta", 0.1, 0.0, 1.0), Param("by", "group", choices=("group", "class"))))
    cohort = cohort_of(method, seeds=(0,), eta=(0.1, 0.4))
    moving, fixed = stack_hp(method, cohort, [0, 1], "cpu")
    assert moving["eta"].tolist() == pytest.approx([0.1, 0.4]) and fixed == {"by": "group"}
