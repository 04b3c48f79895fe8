from __future__ import annotations

import math

import fairlearn.metrics as fl
import numpy as np
import pandas as pd
import pytest

from core.audit.peers import compare_peers
from core.audit.prepare import make_predictions
from core.types import AuditSpec

GROUPS = list("aaaabbbb")


def quantity(table, slug, **spec):
    rows = make_predictions(pd.DataFrame(table), AuditSpec("y", spec.pop("positive", "1"), attributes=("g",), min_n=0,
                                                           **spec))
    return next((q for q in compare_peers(rows).quantities if q.slug == slug), None)


def by_tool(found):
    return {p.tool: p for p in found.peers}


def test_fairlearn_finds_no_gap_in_words_and_the_others_refuse():
    said = ["yes"] * 3 + ["no"] * 5
    table = {"y": ["yes", "yes", "no", "no"] * 2, "p": said, "g": GROUPS}
    found = quantity(table, "words_as_given", positive="yes", predictions=("p",))
    peers = by_tool(found)
    assert found.ours.value == 0.75
    assert peers["Fairlearn"].value == 0.0 == fl.demographic_parity_difference(table["y"], said,
                                                                               sensitive_features=GROUPS)
    assert "Without a warning" in peers["Fairlearn"].why
    assert all(peers[tool].refuses and math.isnan(peers[tool].value) for tool in ("AIF360", "Aequitas", "OxonFair"))


def test_zero_and_one_need_no_word_about_words_but_one_and_two_do():
    table = {"y": list("11001100"), "p": list("10001110"), "g": GROUPS}
    assert quantity(table, "words_as_given", predictions=("p",)) is None
    other = {"y": [1, 1, 2, 2] * 2, "p": [2, 1, 1, 1, 2, 2, 2, 1], "g": GROUPS}
    found = by_tool(quantity(other, "words_as_given", positive="2", predictions=("p",)))
    assert found["Fairlearn"].value == fl.demographic_parity_difference(other["y"], other["p"],
                                                                        sensitive_features=GROUPS) == 0.5
    assert set(found) == {"Fairlearn"} and "which is 1 here" in found["Fairlearn"].how


def test_scores_as_predictions_have_no_gap_in_fairlearn_and_two_of_them_are_cast_by_aequitas():
    score = [0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1]
    table = {"y": list("11001100"), "s": score, "g": GROUPS}
    found = quantity(table, "scores_as_given", scores=("s",), threshold=0.5)
    peers = by_tool(found)
    assert found.ours.value == 0.75
    assert peers["Fairlearn"].value == 0.0 == fl.demographic_parity_difference(np.ones(8), score,
                                                                               sensitive_features=GROUPS)
    assert peers["Aequitas"].value == 0.0 and not peers["Aequitas"].refuses, "selection 0 in every group"
    assert peers["OxonFair"].value == 0.0 and peers["AIF360"].refuses
    more = quantity(table | {"s": [0.5, *score[1:]]}, "scores_as_given", scores=("s",), threshold=0.5)
    assert by_tool(more)["Aequitas"].refuses == "asks for a threshold"


def test_missing_groups_are_counted_by_us_and_dropped_by_aequitas():
    table = {"y": list("11001100"), "p": list("10001110"), "g": ["a", "a", "a", "b", "b", "b", None, np.nan]}
    found = quantity(table, "rows_in_groups", predictions=("p",))
    peers = by_tool(found)
    assert found.ours.value == 8 and "2 of them in a group" in found.how
    assert peers["Aequitas"].value == 6 and "8 as total_entities" in peers["Aequitas"].how
    assert all(peers[tool].refuses for tool in ("Fairlearn", "AIF360", "OxonFair"))
    with pytest.raises(ValueError, match="missing"):
        fl.demographic_parity_difference(np.ones(8), np.ones(8), sensitive_features=table["g"])
    left = quantity(table, "rows_in_groups", predictions=("p",), missing="exclude")
    assert left.ours.value == 6 and "2 left out" in left.how and by_tool(left)["Aequitas"].value == 6
    assert quantity(table | {"g": GROUPS}, "rows_in_groups", predictions=("p",)) is None


def test_a_tiny_group_vanishes_from_fairlearns_draws():
    """50 of 100 and 1 of 1 selected: Fairlearn's interval of the gap starts at 0 and that of the rate has no width."""
    table = {"y": ["1", "0"] * 50 + ["1"], "p": ["1"] * 50 + ["0"] * 50 + ["1"], "g": ["a"] * 100 + ["b"]}
    found = quantity(table, "interval", predictions=("p",))
    ends = {p.name: p for p in found.peers if not p.group}
    low, high = (ends[f"MetricFrame.difference_ci, {end} end"] for end in ("lower", "upper"))
    assert low.value == 0.0 and high.value == pytest.approx(0.586, abs=0.012)
    assert "a group vanishes" in high.why
    rate = [p for p in found.peers if p.group == "b"]
    assert [p.value for p in rate] == [1.0, 1.0] and rate[0].ours == pytest.approx(0.2065, abs=1e-4)
    frame = fl.MetricFrame(metrics=fl.selection_rate, y_true=np.ones(101), y_pred=[int(v) for v in table["p"]],
                           sensitive_features=table["g"], n_boot=300, ci_quantiles=[0.025, 0.975], random_state=1)
    assert frame.difference_ci()[0] == 0.0 and frame.difference_ci()[1] == pytest.approx(high.value, abs=0.02)


def test_zero_of_twenty_has_no_width_in_fairlearn():
    table = {"y": ["1", "0"] * 20, "p": ["0"] * 20 + ["1", "0"] * 10, "g": ["a"] * 20 + ["b"] * 20}
    rate = [p for p in quantity(table, "interval", predictions=("p",)).peers if p.group == "a"]
    assert [p.value for p in rate] == [0.0, 0.0]
    assert [p.ours for p in rate] == pytest.approx([0.0, 0.1611], abs=1e-4)
    assert not rate[0].differs and "without width" in rate[1].why


def test_weighted_rows_have_no_word_about_draws():
    table = {"y": list("11001100"), "p": list("10001110"), "g": GROUPS, "w": [1, 2] * 4}
    assert quantity(table, "interval", predictions=("p",), weight="w") is None
