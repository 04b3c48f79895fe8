from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from core.counts import count_confusion, count_thresholds, n_of, partition, partition_labels, predict
from core.types import BadInput


@st.composite
def rows(draw, classes=3, attrs=3):
    n = draw(st.integers(0, 30))
    code = lambda top: np.array(draw(st.lists(st.integers(0, top - 1), min_size=n, max_size=n)), dtype=np.int64)  # noqa: E731
    weight = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), dtype=float)
    return code(classes), code(classes), code(attrs), weight


@given(rows())
def test_counts_equal_scikit_learn_in_every_group(table):
    pred, y, attr, weight = table
    counts = count_confusion(pred, y, attr, 3, 3, weight)
    for a in range(3):
        if weight[m := attr == a].any():
            expected = confusion_matrix(y[m], pred[m], labels=[0, 1, 2], sample_weight=weight[m])
            assert np.allclose(counts[a], expected)
        else:
            assert not counts[a].any()


@given(rows())
def test_many_models_at_once_equal_one_by_one(table):
    pred, y, attr, weight = table
    both = count_confusion(np.stack([[pred, y]]), y, attr, 3, 3, weight)
    assert both.shape == (1, 2, 3, 3, 3)
    assert np.array_equal(both[0, 0], count_confusion(pred, y, attr, 3, 3, weight))


@given(rows())
def test_partitions_keep_every_row_exactly_once(table):
    pred, y, attr, _ = table
    counts = count_confusion(pred, y, attr, 3, 3)
    for by in ("attr", "class", "subgroup", "all"):
        parts = partition(counts, by)
        assert np.array_equal(parts.sum(-3), counts.sum(-3))
        assert len(parts) == len(partition_labels(by, "abc", "xyz"))
        sizes = np.zeros((3, 3))
        np.add.at(sizes, (y, attr), 1)
        assert np.array_equal(n_of(sizes, by), parts.sum((-2, -1)))


def test_subgroup_numbers_are_class_times_groups_plus_group():
    counts = count_confusion(np.array([1]), np.array([1]), np.array([2]), 2, 3)
    assert partition(counts, "subgroup")[1 * 3 + 2].tolist() == [[0, 0], [0, 1]]
    assert partition_labels("subgroup", ["no", "yes"], ["a", "b", "c"])[5] == "yes, c"


@given(rows(classes=2), st.lists(st.integers(0, 4), min_size=30, max_size=30))
def test_threshold_counts_are_exact_at_every_distinct_score(table, raw):
    _, y, attr, weight = table
    score = np.array(raw[: len(y)]) / 4
    thresholds, counts = count_thresholds(score, y, attr, 3, weight)
    assert thresholds.tolist() == [*sorted(set(score.tolist())), np.inf]
    for t, found in zip(thresholds, counts, strict=True):
        assert np.array_equal(found, count_confusion((score >= t).astype(int), y, attr, 2, 3, weight))


def test_cells_that_are_empty_at_an_end_are_exactly_zero_with_weights(rng):
    weight = rng.random(1000)
    _, counts = count_thresholds(rng.random(1000), rng.integers(0, 2, 1000), rng.integers(0, 2, 1000), 2, weight)
    assert not counts[0, :, :, 0].any() and not counts[-1, :, :, 1].any()


def test_predict_selects_at_the_threshold_and_by_group():
    score = np.array([0.5, 0.5, 0.4], dtype=np.float32)
    assert predict(score, np.array([0.5, 0.6]), np.array([0, 1, 0])).tolist() == [1, 0, 0]
    assert predict(score, np.array([np.inf, np.inf]), np.array([0, 1, 0])).tolist() == [0, 0, 0]


def test_predict_takes_the_largest_score_of_several_classes():
    score = np.array([[[0.2, 0.5, 0.3], [0.6, 0.2, 0.2]]])
    assert predict(score, np.full((1, 1), np.nan), np.array([0, 0])).tolist() == [[1, 0]]


def test_a_model_without_scores_counts_as_undefined_not_as_zero():
    score = np.array([[0.9, np.nan], [0.9, 0.1]])
    pred = predict(score, np.full((2, 1), 0.5), np.array([0, 0]))
    counts = count_confusion(pred, np.array([1, 0]), np.array([0, 0]), 2, 1)
    assert np.isnan(counts[0]).all() and counts[1, 0].tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("pred", [[0.9, 0.4, 0.1], [0.1, 0.8, 0.8], ["yes", "no", "no"]])
def test_scores_two_valued_scores_and_text_are_no_predictions(pred):
    with pytest.raises(BadInput, match="choose a threshold"):
        count_confusion(np.array(pred), np.array([1, 0, 0]), np.array([0, 0, 0]), 2, 1)


@pytest.mark.parametrize("pred, y, attr, hint", [([0, 1], [0], [0], "2 predictions and 1 rows"),
                                                ([2], [0], [0], "codes from 2 to 2"),
                                                ([0], [0], [-1], "codes from -1 to -1")])
def test_rows_that_do_not_match_are_refused_with_what_was_found(pred, y, attr, hint):
    with pytest.raises(BadInput, match=hint):
        count_confusion(np.array(pred), np.array(y), np.array(attr), 2, 1)


def test_an_unknown_partition_is_refused():
    with pytest.raises(BadInput, match="Partition"):
        partition(np.zeros((1, 2, 2)), "sex")


def test_missing_scores_of_a_sweep_are_refused():
    with pytest.raises(BadInput, match="1 missing"):
        count_thresholds(np.array([np.nan]), np.array([0]), np.array([0]), 1)
