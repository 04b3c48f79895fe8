from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.audit.audit import audit
from core.audit.prepare import guess_spec, make_predictions
from core.types import AuditSpec, BadInput

CELLS = st.sampled_from(["yes", "no", 1, 0, -1, 2.5, True, None, np.nan, np.inf, "=1+1", "<b>", "", "1"])
SPEC = AuditSpec("y", "yes", ("p",), attributes=("g",), min_n=0)


def frame(y, p, g, **more):
    return pd.DataFrame({"y": y, "p": p, "g": g, **more})


@pytest.mark.parametrize(("y", "positive"), [
    ([1, 0, 1, 0], "1"), ([1.0, 0.0, 1.0, 0.0], "1"), ([True, False, True, False], "1"), ([2, 1, 2, 1], "2"),
    ([1, -1, 1, -1], "1"), (["Yes", "no", "Yes", "no"], "yes"), ([1, 0, 1, 0], "True")])
def test_labels_of_every_kind_are_counted_alike(y, positive):
    rows = make_predictions(frame(y, y, list("aabb")), AuditSpec("y", positive, ("p",), attributes=("g",)))
    assert rows.y.tolist() == [1, 0, 1, 0] and rows.models[0].pred.tolist() == [1, 0, 1, 0]


def test_zero_and_one_beside_text_labels_are_understood():
    rows = make_predictions(frame(["yes", "no"] * 2, [1, 0, 0, 1], list("aabb")), SPEC)
    assert rows.models[0].pred.tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("p", [[0.9, 0.9, 0.9, 0.1], [0.1, 0.8, 0.1, 0.8]])
def test_scores_given_as_predictions_ask_for_a_threshold(p):
    with pytest.raises(BadInput, match="threshold"):
        make_predictions(frame(["yes", "no"] * 2, p, list("aabb")), SPEC)


def test_scores_outside_zero_to_one_are_refused_unless_logits():
    table = frame(["yes", "no"] * 2, [2.0, -1.0, 0.5, 0.1], list("aabb"))
    with pytest.raises(BadInput, match="logit"):
        make_predictions(table, AuditSpec("y", "yes", (), ("p",), 0.5, attributes=("g",)))
    rows = make_predictions(table, AuditSpec("y", "yes", (), ("p",), 0.0, "logit", ("g",)))
    assert rows.models[0].pred.tolist() == [1, 0, 1, 1] and rows.models[0].score.min() > 0


def test_missing_groups_are_a_group_or_left_out_of_everything():
    table = frame(["yes", "no"] * 4, ["yes"] * 8, ["a"] * 3 + ["b"] * 3 + [None, np.nan])
    rows = make_predictions(table, SPEC)
    assert dict(zip(rows.groups.labels, np.bincount(rows.groups.code).tolist(), strict=True))["missing"] == 2
    rest = make_predictions(table, AuditSpec("y", "yes", ("p",), attributes=("g",), missing="exclude"))
    assert rest.n == 6 and ("missing g", 2) in rest.excluded


def test_rows_without_label_weight_or_finite_score_are_counted_out():
    table = pd.DataFrame({"y": ["yes", None, "no", "no", "yes"], "s": [0.1, 0.2, np.inf, 0.4, 0.5],
                          "w": [1.0, 1.0, 1.0, 0.0, 2.0]})
    rows = make_predictions(table, AuditSpec("y", "yes", (), ("s",), 0.5, weight="w"))
    assert rows.n == 2 and rows.excluded == (("missing label", 1), ("score missing or infinite", 1), ("weight 0", 1))


@pytest.mark.parametrize(("w", "words"), [([-1, 1, 1, 1], "negative"), (list("abcd"), "not numbers")])
def test_bad_weights_are_refused(w, words):
    with pytest.raises(BadInput, match=words):
        make_predictions(frame(["yes", "no"] * 2, ["no"] * 4, list("aabb"), w=w),
                         AuditSpec("y", "yes", ("p",), weight="w"))


def test_duplicate_names_unknown_columns_and_no_positive_are_refused():
    table = frame(["yes", "no"], ["yes", "no"], ["a", "b"])
    with pytest.raises(BadInput, match="2 columns"):
        make_predictions(pd.concat([table, table[["y"]]], axis=1), SPEC)
    with pytest.raises(BadInput, match="does not have"):
        make_predictions(table, AuditSpec("q", "yes", ("p",)))
    with pytest.raises(BadInput, match="name the value"):
        make_predictions(table, AuditSpec("y", "", ("p",)))


def test_numbers_and_dates_are_cut_and_too_many_words_refused():
    n = 600
    base = {"y": ["yes", "no"] * 300, "p": ["yes", "no"] * 300}
    for column in (np.arange(n), np.linspace(0, 1, n), pd.date_range("2020-01-01", periods=n)):
        assert make_predictions(pd.DataFrame({**base, "g": column}), SPEC).n_attrs == 4
    assert make_predictions(pd.DataFrame({**base, "g": [f"t{k % 500}" for k in range(n)]}), SPEC).n_attrs == 500
    with pytest.raises(BadInput, match="at most 500"):
        make_predictions(pd.DataFrame({**base, "g": [f"t{k}" for k in range(n)]}), SPEC)


def test_columns_are_guessed_from_names():
    table = frame(["yes", "no"], [0.1, 0.9], ["a", "b"]).rename(columns={"p": "score", "g": "sex"})
    guess = guess_spec(table)
    assert (guess.label, guess.positive, guess.scores, guess.attributes) == ("y", "yes", ("score",), ("sex",))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=0, max_size=12), st.sampled_from(["yes", "1", ""]))
def test_any_table_is_audited_or_refused_in_a_sentence(cells, positive):
    table = pd.DataFrame(cells, columns=["y", "p", "g"], dtype=object)
    try:
        rows = make_predictions(table, AuditSpec("y", positive, ("p",), attributes=("g",)))
        found = audit(rows, draws=50)
    except BadInput:
        return
    assert sum(sum(g.counts.values()) for g in found.groups) == found.n_used
    assert found.n_used + sum(n for _, n in found.excluded) == found.n
