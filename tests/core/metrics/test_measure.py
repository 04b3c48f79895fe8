"""Measures against hand-computed answers and against Fairlearn wherever Fairlearn is right."""

from __future__ import annotations

import fairlearn.metrics as fl
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.counts import count_confusion
from core.metrics.measure import measures, parse, titles
from core.types import BadInput


def table(y, pred, attr, n_attrs=2):
    return count_confusion(np.array(pred), np.array(y), np.array(attr), 2, n_attrs)


def golden():
    """12 rows, groups a, b, c with 4 each."""
    return table([1, 1, 0, 0] * 3, [1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0], np.repeat([0, 1, 2], 4), 3)


@pytest.mark.parametrize("key, value", [
    ("demographic_parity.gap", 0.75), ("demographic_parity.ratio", 0.0), ("equal_opportunity.gap", 1.0),
    ("predictive_equality.gap", 0.5), ("equalized_odds.gap", 1.0), ("equalized_odds.mean", 0.75),
    ("equalized_odds.sum", 1.5), ("selection_rate.to_overall", 5 / 12), ("selection_rate", 1 / 3), ("tpr", 0.5),
    ("fpr", 1 / 6), ("tpr.worst", 0.0), ("accuracy.worst@subgroup", 0.0), ("accuracy.worst@class", 0.5),
    ("selection_rate.to_reference", 0.75),
])
def test_golden_table(key, value):
    assert float(parse(key).of(golden())) == pytest.approx(value)


def test_a_group_without_positives_is_undefined_and_equalized_odds_not_computable():
    counts = table([1, 1, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 1, 0, 0], np.repeat([0, 1], 4))
    assert parse("selection_rate.gap").of(counts) == 0.0
    assert parse("fpr.gap").of(counts) == 0.25
    odds = parse("equalized_odds.gap")
    assert np.isnan(odds.of(counts))
    assert odds.reason(counts) == "0 positives" and odds.left_out(counts) == {1: "0 positives"}
    assert parse("tpr.worst").of(counts) == 0.5


def test_nobody_selected_has_gap_zero_and_an_undefined_ratio():
    counts = table([1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 1])
    assert parse("selection_rate.gap").of(counts) == 0.0
    assert np.isnan(parse("selection_rate.ratio").of(counts))
    assert parse("selection_rate.ratio").reason(counts) == "nobody selected"
    assert parse("ppv").reason(counts) == "nobody selected"


def test_one_group_is_nothing_to_compare():
    counts = table([1, 0], [1, 0], [0, 0], 1)
    assert np.isnan(parse("selection_rate.gap").of(counts))
    assert parse("selection_rate.gap").reason(counts) == "one group, nothing to compare"
    assert parse("accuracy.worst").of(counts) == 1.0


def test_an_empty_group_does_not_enter_the_worst_and_says_so():
    counts = table([1, 0, 1], [1, 0, 0], [0, 0, 2], 3)
    measure = parse("accuracy.worst")
    assert measure.of(counts) == 0.0 and measure.left_out(counts) == {1: "0 rows"}
    assert measure.extremes(counts) == (2,)


def test_small_groups_are_left_out_of_the_worst_alone():
    counts = table([1] * 10 + [0], [1] * 10 + [1], [0] * 10 + [1])
    assert parse("accuracy.worst").of(counts, min_n=5) == 1.0
    assert parse("accuracy.worst").left_out(counts, min_n=5) == {1: "1 rows"}
    assert parse("accuracy.gap").of(counts, min_n=5) == 1.0
    n = np.array([[0.0, 80.0], [10.0, 0.0]])
    assert parse("accuracy.worst").of(counts, min_n=5, n=n) == 0.0
    assert np.isnan(parse("accuracy.worst").of(counts, min_n=50))
    assert parse("accuracy.worst").reason(counts, min_n=50) == "10 rows, 1 rows"


def test_extremes_of_equalized_odds_come_from_the_larger_half():
    assert parse("equalized_odds.gap").extremes(golden()) == (2, 0)
    assert parse("accuracy").extremes(golden()) == ()


def test_a_diverged_run_is_undefined_everywhere():
    counts = np.full((2, 2, 2), np.nan)
    for key in measures(2):
        assert np.isnan(parse(key).of(counts)), key
    assert parse("accuracy").reason(counts) == "the run diverged"


@st.composite
def random_tables(draw):
    n = draw(st.integers(8, 60))
    bits = lambda top: np.array(draw(st.lists(st.integers(0, top), min_size=n, max_size=n)))  # noqa: E731
    return bits(1), bits(1), bits(2)


FAIRLEARN = {
    "selection_rate.gap": fl.demographic_parity_difference,
    "equalized_odds.gap": fl.equalized_odds_difference,
    "equal_opportunity.gap": fl.equal_opportunity_difference,
    "fpr.gap": fl.false_positive_rate_difference,
    "tnr.gap": fl.true_negative_rate_difference,
    "fnr.gap": fl.false_negative_rate_difference,
}


@given(random_tables())
def test_gaps_equal_fairlearn_where_every_group_has_both_labels(rows):
    y, pred, attr = rows
    counts = count_confusion(pred, y, attr, 2, 3)
    assume((counts.sum(-1) > 0).all())
    for key, reference in FAIRLEARN.items():
        expected = reference(y, pred, sensitive_features=attr)
        assert float(parse(key).of(counts)) == pytest.approx(expected), key
    mean = fl.equalized_odds_difference(y, pred, sensitive_features=attr, agg="mean")
    assert float(parse("equalized_odds.mean").of(counts)) == pytest.approx(mean)
    overall = fl.demographic_parity_difference(y, pred, sensitive_features=attr, method="to_overall")
    assert float(parse("selection_rate.to_overall").of(counts)) == pytest.approx(overall)
    if pred.any():
        ratio = fl.demographic_parity_ratio(y, pred, sensitive_features=attr)
        assert float(parse("selection_rate.ratio").of(counts)) == pytest.approx(ratio)


@given(random_tables())
def test_measures_keep_their_bounds_and_ignore_duplicated_rows(rows):
    y, pred, attr = rows
    counts = count_confusion(pred, y, attr, 2, 3)
    for key in measures(2):
        measure = parse(key)
        value = float(measure.of(counts))
        low, high = measure.bounds
        assert np.isnan(value) or low - 1e-12 <= value <= high + 1e-12, key
        assert measure.of(3 * counts) == pytest.approx(value, nan_ok=True), key
        assert np.isfinite(value) == (measure.reason(counts) is None), key


@given(random_tables())
def test_relabelling_groups_changes_no_measure(rows):
    y, pred, attr = rows
    counts = count_confusion(pred, y, attr, 2, 3)
    for key in measures(2):
        assert parse(key).of(counts) == pytest.approx(parse(key).of(counts[[2, 0, 1]]), nan_ok=True), key


def test_many_models_at_once_equal_one_by_one(rng):
    counts = rng.integers(0, 5, (4, 3, 2, 2, 2)).astype(float)
    for key in [*measures(2), "accuracy.mean@subgroup", "tpr.to_overall"]:
        measure = parse(key)
        loop = [[float(measure.of(c)) for c in block] for block in counts]
        assert np.allclose(measure.of(counts), loop, equal_nan=True), key


def test_several_classes_offer_only_what_is_defined_for_them(rng):
    counts = rng.integers(1, 5, (2, 3, 3)).astype(float)
    offered = measures(3)
    assert "accuracy.worst@subgroup" in offered and not any(k.startswith("tpr") for k in offered)
    assert all(np.isfinite(parse(k).of(counts)) for k in offered)


def test_offered_keys_are_distinct_titled_and_canonical():
    offered = measures(2)
    assert len(set(offered)) == len(offered) == len(set(titles(offered).values()))
    assert all(parse(k).key == k and parse(k).help for k in offered)
    assert all(parse(k).higher_is_better is not None for k in measures(2, directed=True))
    assert not any(k.startswith("prevalence") for k in offered)


@pytest.mark.parametrize("key", ["", "nonsense", "accuracy.median", "accuracy@attr", "accuracy.worst@sex",
                                 "selection_rate.worst", "equalized_odds", "accuracy.worst@all", "../etc", None])
def test_unknown_keys_are_refused_in_one_sentence(key):
    with pytest.raises(BadInput) as caught:
        parse(key)
    assert "\n" not in str(caught.value)


def test_one_class_against_the_rest_equals_two_classes(rng):
    y, pred, attr = rng.integers(0, 3, (3, 90))
    counts = count_confusion(pred, y, attr, 3, 3)
    for c, word in enumerate(("low", "middle", "high")):
        two = count_confusion((pred == c).astype(int), (y == c).astype(int), attr, 2, 3)
        for key in ("tpr", "fdr", "selection_rate"):
            for tail in ("", ".gap"):
                expected = float(parse(key + tail).of(two))
                assert float(parse(f"{key}[{c}]{tail}").of(counts)) == pytest.approx(expected)
                named = parse(f"{key}[{word}]{tail}", classes=("low", "middle", "high"))
                assert float(named.of(counts)) == pytest.approx(expected) and word in named.key
    assert float(parse("tpr[macro]").of(counts)) == pytest.approx(float(parse("balanced_accuracy").of(counts)))
    assert float(parse("f1[macro]").of(counts)) == pytest.approx(float(parse("f1_macro").of(counts)))


def test_a_class_may_be_called_by_any_word():
    assert parse("tpr[a].b[1]].gap@attr", classes=("x", "a].b[1]")).title.startswith("True positive rate of class a]")
    assert parse("tpr[1]", classes=("1", "2")).key == "tpr[1]"
    assert float(parse("tpr[1]", classes=("1", "2")).of(table([0, 0, 1], [0, 1, 1], [0, 0, 0], 1))) == 0.5


@pytest.mark.parametrize("key", ["tpr[high]", "tpr[-1]", "tpr[]", "roc_auc", "mae.gap", "mcc.power_mean"])
def test_unknown_classes_and_metrics_that_counts_cannot_answer_are_refused(key):
    with pytest.raises(BadInput):
        parse(key)


def test_a_class_beyond_the_last_is_refused():
    with pytest.raises(BadInput, match="from 0 to 1"):
        parse("tpr[7]").of(golden())


def test_equality_differences_sum_the_distances_of_all_groups():
    assert parse("fped").key == "fpr.sum_to_overall"
    assert float(parse("fped").of(golden())) == pytest.approx(1 / 3 + 1 / 6 + 1 / 6)
    assert float(parse("fned").of(golden())) == pytest.approx(0.5 + 0.0 + 0.5)


def test_data_alone_is_not_offered_as_a_measure_and_macro_forms_are_for_several_classes():
    about_data = ("prevalence", "imbalance_ratio", "class_entropy", "effective_samples", "roc_auc", "mae")
    for n_classes in (2, 3):
        assert not [k for k in measures(n_classes) if k.split(".")[0] in about_data]
    assert "f1_macro" in measures(3) and "f1_macro.worst@class" not in measures(3) and "f1_macro" not in measures(2)
    assert {"fdr", "for", "f2", "g_mean"} <= set(measures(2))
