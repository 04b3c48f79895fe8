from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.impossibility import impossibility, needed, rates_of
from core.audit.prepare import make_predictions
from core.types import AuditSpec, BadInput


def rows_of(tables, *, min_n=0, extra=None, **more):
    """Rows from counts: label -> (TN, FP, FN, TP)."""
    parts = [(y, p, g) for g, cells in tables.items()
             for n, (y, p) in zip(cells, [(0, 0), (0, 1), (1, 0), (1, 1)], strict=True) for _ in range(n)]
    frame = pd.DataFrame(parts, columns=["y", "p", "g"]).assign(**(extra or {}))
    return make_predictions(frame, AuditSpec("y", "1", ("p",), attributes=("g",), min_n=min_n, **more))


def by_label(found):
    return {g.label: g for g in found.groups}


def test_the_relation_is_exact_on_any_counts(rng):
    counts = rng.integers(1, 1000, (500, 2, 2)).astype(float)
    r = rates_of(counts)
    for slug in ("fpr", "tpr", "ppv"):
        followed = needed(slug, r["base"], r["tpr"], r["fpr"], r["ppv"])
        assert np.abs(followed - r[slug]).max() < 1e-12, slug


def test_the_numbers_of_two_groups_by_hand():
    found = impossibility(rows_of({"a": (400, 100, 100, 400), "b": (720, 80, 40, 160)}))
    groups = by_label(found)
    assert (groups["a"].base.value, groups["b"].base.value) == (0.5, 0.2)
    tpr, ppv = 560 / 700, 560 / 740
    assert found.targets["tpr"] == pytest.approx(tpr) and found.targets["ppv"] == pytest.approx(ppv)
    assert groups["a"].needs.value == pytest.approx(1.0 * (1 - ppv) / ppv * tpr)
    assert groups["b"].needs.value == pytest.approx(0.25 * (1 - ppv) / ppv * tpr)
    assert found.needs_gap.value == pytest.approx(0.75 * (1 - ppv) / ppv * tpr) and found.needs_gap.low > 0.1
    assert found.verdict == "no" and found.between == ("b", "a") and found.base_gap.value == pytest.approx(0.3)
    assert 0.25 < found.base_gap.low < 0.3 < found.base_gap.high < 0.35
    assert all(abs(g.residual) < 1e-12 and g.needs.low < g.needs.value < g.needs.high for g in found.groups)
    assert found.false_positives.value == pytest.approx(180 / 740)


@pytest.mark.parametrize("given_up", ["tpr", "ppv", "fpr"])
def test_what_follows_satisfies_the_relation_with_the_targets(given_up):
    found = impossibility(rows_of({"a": (400, 100, 100, 400), "b": (720, 80, 40, 160)}), given_up=given_up)
    for group in found.groups:
        r = {**found.targets, given_up: group.needs.value}
        p = group.base.value
        assert r["fpr"] == pytest.approx(p / (1 - p) * (1 - r["ppv"]) / r["ppv"] * r["tpr"])


def test_equal_base_rates_leave_all_three_possible_and_nothing_differs():
    found = impossibility(rows_of({"a": (400, 100, 100, 400), "b": (450, 50, 200, 300)}))
    assert found.verdict == "cannot tell" and found.base_gap.low == 0 and found.needs_gap.low == 0
    a, b = (g.needs.value for g in found.groups)
    assert a == pytest.approx(b) and found.needs_gap.value == pytest.approx(0)


def test_nobody_wrongly_selected_is_the_way_out_even_short_of_perfect():
    cautious = impossibility(rows_of({"a": (500, 0, 250, 250), "b": (800, 0, 100, 100)}))
    assert cautious.verdict == "free" and all(g.needs.value == 0 for g in cautious.groups)
    assert cautious.false_positives.value == 0 and 0 < cautious.false_positives.high < 0.02
    assert impossibility(rows_of({"a": (500, 0, 0, 500), "b": (800, 0, 0, 200)})).verdict == "free"


def test_nobody_rightly_selected_and_one_group_have_their_own_words():
    assert impossibility(rows_of({"a": (40, 10, 50, 0), "b": (70, 10, 20, 0)})).verdict == "nobody"
    assert impossibility(rows_of({"a": (40, 10, 10, 40)})).verdict == "one group"
    found = impossibility(rows_of({"a": (40, 10, 10, 40), "b": (2, 1, 1, 1)}, min_n=10))
    assert found.verdict == "one group" and found.left_out == (("b", "5 rows, fewer than 10"),)


def test_a_group_may_need_more_than_all():
    found = impossibility(rows_of({"a": (50, 50, 100, 800), "b": (500, 400, 20, 80)}))
    assert found.impossible == ("a",) and by_label(found)["a"].needs.value > 1


def test_undefined_rates_have_their_reason():
    found = impossibility(rows_of({"a": (40, 10, 10, 40), "b": (50, 10, 0, 0)}))
    b = by_label(found)["b"]
    assert b.rates["tpr"].undefined == "0 positives" and b.needs.undefined == "0 positives" and np.isnan(b.residual)
    none = impossibility(rows_of({"a": (50, 0, 50, 0), "b": (80, 0, 20, 0)}))
    assert none.groups[0].needs.undefined == "precision over everyone: 0 selected" and none.false_positives.undefined


def test_weights_move_base_rates_and_persons_widen_intervals():
    tables = {"a": (40, 10, 10, 40), "b": (70, 10, 5, 15)}
    plain = impossibility(rows_of(tables))
    w = [2.0] * 50 + [1.0] * 50 + [1.0] * 100
    heavy = impossibility(rows_of(tables, extra={"w": w}, weight="w"))
    assert by_label(heavy)["a"].base.value == pytest.approx(50 / 150) and abs(heavy.groups[0].residual) < 1e-12
    who = np.repeat(np.arange(20), 10)
    cluster = impossibility(rows_of(tables, extra={"who": who}, person="who"))
    width = [f.base_gap.high - f.base_gap.low for f in (plain, cluster)]
    assert width[1] > width[0] and "persons" in cluster.groups[0].needs.how


def test_intervals_of_what_a_group_needs_cover():
    base, hits = {"a": 0.5, "b": 0.2}, 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        tables = {g: tuple(rng.multinomial(300, [(1 - p) * 0.8, (1 - p) * 0.2, p * 0.3, p * 0.7])) for g, p in
                  base.items()}
        truth = rates_of(sum(300 * np.array([[(1 - p) * 0.8, (1 - p) * 0.2], [p * 0.3, p * 0.7]]) for p in
                             base.values()))
        targets = needed("fpr", 0.2, truth["tpr"], truth["fpr"], truth["ppv"])
        needs = by_label(impossibility(rows_of(tables), draws=300, seed=seed))["b"].needs
        hits += needs.low <= targets <= needs.high
    assert 0.89 <= hits / 150 <= 0.99


def test_what_does_not_apply_is_refused_in_words():
    with pytest.raises(BadInput, match="one of tpr"):
        impossibility(rows_of({"a": (4, 1, 1, 4)}), given_up="accuracy")
    frame = pd.DataFrame({"p": ["0", "1"] * 10, "g": ["a", "b"] * 10})
    with pytest.raises(BadInput, match="no labels"):
        impossibility(make_predictions(frame, AuditSpec("", "1", ("p",), attributes=("g",))))
