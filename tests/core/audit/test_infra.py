from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.infra import Odds, best, estimate_odds, eta, expected_accuracy, infra
from core.audit.prepare import make_predictions
from core.types import AuditSpec, BadInput


def world(n=2000, seed=0, apart=1.0):
    """Features, group, true odds and labels; group b has lower odds by `apart` on the log scale."""
    rng = np.random.default_rng(seed)
    x, z, g = rng.normal(size=n), rng.choice(["u", "v"], n), rng.choice(["a", "b"], n)
    p = 1 / (1 + np.exp(-(1.5 * x + 0.8 * (z == "u") - apart * (g == "b"))))
    return pd.DataFrame({"x": x, "z": z, "g": g, "y": (rng.random(n) < p).astype(int)}), p


def rows_of(frame, pred, **more):
    return make_predictions(frame.assign(p=pred), AuditSpec("y", "1", ("p",), attributes=("g",), **more))


def test_accuracy_lost_is_the_weighted_measure_exactly_with_the_true_odds():
    frame, p = world()
    rng = np.random.default_rng(1)
    w = rng.uniform(0.2, 3, len(p))
    for h in (rng.integers(0, 2, len(p)), rng.random(len(p)), (p > 0.7).astype(int), np.zeros(len(p)), best(p)):
        lost = expected_accuracy(best(p), p, w) - expected_accuracy(h, p, w)
        assert lost == pytest.approx(eta(h, p, w)[0], abs=1e-12)
    assert eta(best(p), p) == (0.0, 0.0)


def test_the_measure_falls_as_accuracy_rises_along_a_line():
    _, p = world()
    rng = np.random.default_rng(2)
    pairs = [(eta(h, p)[0], expected_accuracy(h, p)) for h in
             ((np.where(rng.random(len(p)) < q, 1 - best(p), best(p))) for q in np.linspace(0, 0.6, 13))]
    assert np.corrcoef(np.array(pairs).T)[0, 1] == pytest.approx(-1, abs=1e-12)


def test_equal_selection_costs_those_with_other_base_rates():
    for apart, worse in ((2.0, True), (0.0, False)):
        frame, p = world(apart=apart)
        equal = np.zeros(len(p), int)
        for g in "ab":
            here = np.flatnonzero(frame["g"] == g)
            equal[here[np.argsort(-p[here])][:len(here) // 2]] = 1
        lost = eta(equal, p)[0] - eta(best(p), p)[0]
        assert (lost > 0.02) == worse, "half of each group is selected"


def test_numbers_by_group_with_the_true_odds_by_hand():
    frame, p = world()
    h = np.where(frame["g"] == "b", 0, best(p))
    found = infra(rows_of(frame, h), odds=Odds(p, ("x", "z")))
    b = (frame["g"] == "b").to_numpy()
    by_label = {m.label: m.numbers for m in found.groups}
    assert by_label["a"]["plain"].value == 0 and by_label["a"]["plain"].high < 0.01
    assert by_label["b"]["refused"].value == pytest.approx((p[b] >= 0.5).mean()) == by_label["b"]["plain"].value
    assert by_label["b"]["weighted"].value == pytest.approx(((p >= 0.5) * (2 * p - 1))[b].mean())
    assert by_label["b"]["accepted"].value == 0
    y = frame["y"].to_numpy()
    assert found.everyone.numbers["gain"].value == pytest.approx((best(p) == y).mean() - (h == y).mean())
    assert found.agrees and found.between == ("a", "b") and found.gap.low > 0
    assert found.gap.value == pytest.approx(by_label["b"]["weighted"].value)


def test_weights_are_repeated_rows():
    frame, p = world(300)
    w, h = np.random.default_rng(3).integers(1, 4, 300), (p > 0.7).astype(int)
    once = infra(rows_of(frame.assign(w=w), h, weight="w"), odds=Odds(p, ("x",)))
    often = infra(rows_of(frame.loc[frame.index.repeat(w)].reset_index(drop=True), np.repeat(h, w)),
                  odds=Odds(np.repeat(p, w), ("x",)))
    for name, value in once.everyone.numbers.items():
        assert value.value == pytest.approx(often.everyone.numbers[name].value), name


def test_estimated_odds_are_near_the_true_ones_and_calibrated():
    frame, p = world(4000)
    rows = rows_of(frame, best(p))
    odds = estimate_odds(rows)
    assert odds.used == ("x", "z", "g") and odds.left_out == ()
    assert np.abs(odds.p - p).mean() < 0.06 and np.corrcoef(odds.p, p)[0, 1] > 0.95
    assert abs(odds.p.mean() - frame["y"].mean()) < 0.01
    bins = np.digitize(odds.p, [0.2, 0.4, 0.6, 0.8])
    for k in range(5):
        assert abs(odds.p[bins == k].mean() - p[bins == k].mean()) < 0.06
    found = infra(rows, odds=odds)
    assert found.everyone.numbers["weighted"].value < 0.03, "the best rule looks nearly best"
    assert found.everyone.numbers["off"].low < 0 < found.everyone.numbers["off"].high


def test_a_row_is_never_estimated_by_a_model_that_saw_its_label_or_person():
    rng = np.random.default_rng(4)
    x = np.repeat(rng.normal(size=80), 40)
    y = np.repeat(rng.integers(0, 2, 80), 40)
    frame = pd.DataFrame({"x": x, "g": "a", "y": y, "who": np.repeat(np.arange(80), 40)})
    honest = estimate_odds(rows_of(frame, y, person="who")).p
    leaking = estimate_odds(rows_of(frame.drop(columns="who"), y)).p
    right = [float(((q >= 0.5) == y).mean()) for q in (honest, leaking)]
    assert right[0] < 0.65 and right[1] > 0.8, "pure noise can be known only from the person's other rows"


def test_what_cannot_be_estimated_is_refused_in_words():
    frame, p = world(200)
    for table, words in ((frame[["g", "y"]], "no column"), (frame.head(20), "at least 50")):
        with pytest.raises(BadInput, match=words):
            estimate_odds(rows_of(table, best(p)[:len(table)]))
    with pytest.raises(BadInput, match="one class"):
        estimate_odds(rows_of(frame.assign(y=[1] + [0] * 199), best(p)))


def test_one_group_has_no_gap_and_says_so():
    frame, p = world(200)
    found = infra(rows_of(frame.assign(g="a"), best(p)), odds=Odds(p, ("x",)))
    assert found.gap.undefined and found.between == () and len(found.groups) == 1
