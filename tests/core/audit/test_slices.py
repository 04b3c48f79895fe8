from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr
from scipy.stats import hypergeom

from core.audit.prepare import make_predictions
from core.audit.slices import find_slices, measure_of, measures_of, said, signed_root
from core.gaps import difference
from core.types import AuditSpec, BadInput


def table(n=4000, seed=0, planted=0.3, base=0.1, features=4):
    """Errors at `base`, and at `planted` more where job is b and town is x."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"noise{k}": rng.choice(list("pqr"), n) for k in range(features)})
    frame = frame.assign(job=rng.choice(list("abc"), n), town=rng.choice(list("xyz"), n), sex=rng.choice(["w", "m"], n))
    y = rng.integers(0, 2, n)
    bad = (frame["job"] == "b") & (frame["town"] == "x")
    wrong = rng.random(n) < base + planted * bad
    return frame.assign(y=np.where(y == 1, "yes", "no"), p=np.where((y == 1) ^ wrong, "yes", "no"))


def rows_of(frame, **spec):
    return make_predictions(frame, AuditSpec("y", "yes", ("p",), **({"attributes": ("sex",)} | spec)))


@pytest.mark.parametrize("measure", ["accuracy", "error", "tpr", "fpr"])
@pytest.mark.parametrize("against", ["rest", "all"])
def test_the_planted_slice_is_found_first_and_confirmed(measure, against):
    found = find_slices(rows_of(table()), measure=measure, against=against)
    first = found.slices[0]
    assert {(c.feature, c.value) for c in first.conditions} == {("job", "b"), ("town", "x")}
    assert first.confirmed and first.held_out.p_holm < 1e-6 and first.share == pytest.approx(1 / 9, abs=0.03)
    assert sum(s.confirmed for s in found.slices) == 1
    apart = 0.3 * (1 if measure in ("error", "fpr") else -1) * (1 if against == "rest" else 8 / 9)
    for side in (first.search, first.held_out):
        assert abs(side.divergence.value - apart) < side.divergence.high - side.divergence.low  # four standard errors
        assert side.divergence.value == pytest.approx(side.rate.value - side.rest.value)
    assert found.n_search + found.n_held_out == measure_of(rows_of(table()), 0, measure).here.sum()


def test_selection_may_stand_out_to_either_side():
    frame = table(planted=0)
    rng = np.random.default_rng(5)
    less, more = (frame["job"] == "b") & (frame["town"] == "x"), frame["job"] == "c"
    rate = np.where(less, 0.1, np.where(more, 0.8, 0.5))
    found = find_slices(rows_of(frame.assign(p=np.where(rng.random(len(frame)) < rate, "yes", "no"))),
                        measure="selection")
    sure = {s.label: np.sign(s.held_out.divergence.value) for s in found.slices if s.confirmed}
    assert sure["job = c"] == 1 and (sure.get("job = b and town = x") or sure.get("town = x and job = b")) == -1


def test_numbers_are_those_of_the_rows_counted_by_hand():
    rows = rows_of(table(600))
    found = find_slices(rows, conditions=2, share=0.05)
    everything = pd.concat([rows.attributes, rows.features], axis=1)
    right = rows.models[0].pred == rows.y
    assert found.everyone.value == pytest.approx(right.mean())
    for s in found.slices:
        mask = np.all([everything[c.feature] == c.value for c in s.conditions], axis=0)
        both = (s.search, s.held_out)
        assert sum(side.n for side in both) == mask.sum()
        assert sum(side.n * side.rate.value for side in both) == pytest.approx(right[mask].sum())
        assert sum(side.rest.n * side.rest.value for side in both) == pytest.approx(right[~mask].sum())
        for side in both:
            low, high = difference(side.rate.value, side.n, side.rest.value, side.rest.n)
            assert (side.divergence.low, side.divergence.high) == pytest.approx((float(low), float(high)))


def test_without_signal_at_most_five_in_a_hundred_searches_confirm_anything():
    p, sure = [], 0
    for seed in range(300):
        found = find_slices(rows_of(table(700, 1000 + seed, planted=0, features=2)), measure="selection", conditions=2,
                            seed=seed)
        p += [s.held_out.p for s in found.slices]
        sure += any(s.confirmed for s in found.slices)
    assert 0.01 <= sure / 300 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)
    assert len(p) > 150 and abs(np.mean(np.array(p) < 0.05) - 0.05) < 3 * np.sqrt(0.05 * 0.95 / len(p))


def test_the_search_half_flatters_and_the_other_does_not():
    searches = (find_slices(rows_of(table(700, 1000 + seed, planted=0, features=3)), measure="error", seed=seed)
                for seed in range(150))
    apart = np.array([(s.search.divergence.value, s.held_out.divergence.value) for f in searches for s in f.slices])
    (searched, held_out), spread = apart.mean(0), apart[:, 1].std() / np.sqrt(len(apart))
    assert searched > 0.1 and abs(held_out) < 3 * spread < 0.03


def test_a_weight_of_two_is_a_row_twice_in_every_rate():
    frame = table(1000).assign(weight=lambda f: np.where(f["town"] == "x", 2.0, 1.0))
    rows = rows_of(frame, weight="weight")
    found = find_slices(rows, conditions=2, share=0.05)
    right, w = (rows.models[0].pred == rows.y).astype(float), np.asarray(rows.w)
    assert found.everyone.value == pytest.approx(np.average(right, weights=w))
    first = found.slices[0]
    mask = np.all([rows.features[c.feature] == c.value for c in first.conditions], axis=0)
    half = first.search.n + first.held_out.n
    assert half == mask.sum() and first.search.divergence.n <= first.search.n
    plain = find_slices(rows_of(frame.drop(columns="weight")), conditions=2, share=0.05)
    same = next(s for s in plain.slices if {c.words for c in s.conditions} == {c.words for c in first.conditions})
    assert first.share > 1.4 * same.share and first.search.rest.value != same.search.rest.value


def test_scaling_the_weights_changes_nothing():
    frame = table(1500).assign(weight=np.random.default_rng(1).random(1500) + 0.2)
    once, twice = (find_slices(rows_of(f, weight="weight")) for f in (frame, frame.assign(weight=frame["weight"] * 7)))
    assert [s.label for s in once.slices] == [s.label for s in twice.slices]
    assert once.slices[0].held_out.p == pytest.approx(twice.slices[0].held_out.p)


def test_rows_of_a_person_stay_together_and_make_p_values_larger():
    frame = pd.concat([table(1500, base=0.2)] * 4, ignore_index=True).assign(who=np.tile(np.arange(1500), 4))
    alone, together = find_slices(rows_of(frame.drop(columns="who"))), find_slices(rows_of(frame, person="who"))
    first = together.slices[0]
    assert first.held_out.divergence.n == pytest.approx(first.held_out.n / 4)
    assert "person" in first.held_out.divergence.how
    same = next(s for s in alone.slices if s.label == first.label)
    assert same.held_out.p < first.held_out.p < 1e-3 and same.search.p_holm < first.search.p_holm < 0.05


def test_a_condition_that_adds_nothing_is_left_off():
    frame = table(6000, features=2).assign(copy=lambda f: f["job"].map({"a": "A", "b": "B", "c": "C"}))
    found = find_slices(rows_of(frame))
    names = [{c.feature for c in s.conditions} for s in found.slices if s.confirmed]
    assert len(names) == 1 and len(names[0]) == 2  # neither the same people in other words nor a part of them
    assert found.redundant > 0


def test_a_slice_within_a_slice_is_told_where_it_is_worse_still():
    frame = table(8000, planted=0, features=1)
    rng = np.random.default_rng(2)
    rate = 0.05 + 0.25 * (frame["job"] == "b") + 0.4 * ((frame["job"] == "b") & (frame["town"] == "x"))
    wrong = rng.random(len(frame)) < rate
    frame = frame.assign(p=np.where((frame["y"] == "yes") ^ wrong, "yes", "no"))
    found = find_slices(rows_of(frame), measure="error")
    sure = [{c.feature for c in s.conditions} for s in found.slices if s.confirmed]
    assert sure[:2] == [{"job", "town"}, {"job"}]


def test_the_signed_root_keeps_its_size_where_rates_are_small():
    rng = np.random.default_rng(0)
    a, b = rng.binomial(100, 0.05, 200_000), rng.binomial(2000, 0.05, 200_000)
    root = signed_root(a / 100, 100, b / 2000, 2000)
    assert np.mean(root > 2.576) == pytest.approx(0.005, abs=0.0025)
    pooled = (a + b) / 2100
    z = (a / 100 - b / 2000) / np.sqrt(pooled * (1 - pooled) * (1 / 100 + 1 / 2000))
    assert np.mean(z > 2.576) > 0.009  # the usual test is too sure
    k = np.arange(5, 16)
    tail = hypergeom.sf(k, 2100, 110, 100) + hypergeom.pmf(k, 2100, 110, 100) / 2  # Fisher's, mid-p
    assert ndtr(-signed_root(k / 100, 100, (110 - k) / 2000, 2000)) == pytest.approx(tail, rel=0.35, abs=1e-4)


def test_a_side_without_rows_is_undefined_with_a_reason():
    assert signed_root(0.5, 0, 0.5, 10) == 0
    frame = table(1000, planted=0, features=0).assign(who=np.arange(1000) // 5)
    alone = frame["who"] < 20  # these hundred rows are one person's, so they lie in one half together
    frame = frame.assign(who=frame["who"].where(~alone, 0), town=frame["town"].where(~alone, "w"),
                         p=frame["p"].where(~alone, frame["y"].map({"yes": "no", "no": "yes"})))
    found = [find_slices(rows_of(frame, person="who"), seed=seed) for seed in range(6)]
    lost = [s for f in found for s in f.slices if s.label == "town = w"]
    assert lost and all(s.held_out.divergence.undefined == "no rows in the slice" for s in lost)
    assert not any(s.confirmed for s in lost) and np.isnan(lost[0].held_out.p_holm)
    assert any("all of its rows lie in the search half" in said(f)[0] for f in found)


def test_45_000_rows_of_12_features_take_less_than_three_seconds():
    rng = np.random.default_rng(0)
    n = 45_000
    frame = pd.DataFrame({f"number{k}": rng.normal(size=n) for k in range(6)}
                         | {f"word{k}": rng.choice(list("abcdef"), n) for k in range(6)})
    frame = frame.assign(sex=rng.choice(["w", "m"], n), y=rng.choice(["yes", "no"], n), p=rng.choice(["yes", "no"], n))
    rows = rows_of(frame)
    begun = time.perf_counter()
    found = find_slices(rows, share=0.01)
    assert time.perf_counter() - begun < 3 and found.looked_at > 5000


def test_many_columns_are_cut_down_to_those_that_differ_most():
    rng = np.random.default_rng(0)
    frame = table(1500, features=0).assign(**{f"n{k}": rng.choice(list("uv"), 1500) for k in range(30)})
    found = find_slices(rows_of(frame), conditions=2)
    assert sum("columns that differ most" in reason for _, reason in found.left_out) == 33 - 24
    assert {c.feature for c in found.slices[0].conditions} == {"job", "town"}


def test_sentences_tell_the_worst_slice_in_numbers_of_hundred():
    told = said(find_slices(rows_of(table())))
    assert "of 100 are predicted right, against" in told[0] and "among everybody else; confirmed on" in told[0]
    assert "2,000 rows that the search did not see" in told[0] and "are confirmed" in told[1]
    assert "of 100 of those who are not yes are predicted yes" in said(find_slices(rows_of(table()), measure="fpr"))[0]
    quiet = [said(find_slices(rows_of(table(600, s, planted=0)), seed=s))[0] for s in range(12)]
    assert any(line.startswith("No slice stands out") for line in quiet)
    assert any(line.startswith("No slice is confirmed") and "chance alone" in line for line in quiet)
    assert said(find_slices(rows_of(table(300)), share=0.5, conditions=3))[0].startswith("No slice")


def test_several_classes_and_missing_labels_answer_what_they_can():
    rng = np.random.default_rng(0)
    frame = table(900).assign(y=rng.choice(list("abc"), 900), p=rng.choice(list("abc"), 900))
    several = make_predictions(frame, AuditSpec("y", "", ("p",), attributes=("sex",)))
    assert measures_of(several) == ("accuracy", "error") and find_slices(several).looked_at > 0
    unlabelled = make_predictions(table(900).drop(columns="y"), AuditSpec("", "yes", ("p",), attributes=("sex",)))
    assert measures_of(unlabelled) == ("selection",)
    with pytest.raises(BadInput, match="Outcome"):
        find_slices(unlabelled)


@pytest.mark.parametrize("options", [{"measure": "auc"}, {"conditions": 4}, {"conditions": 0}, {"share": 0.0},
                                     {"keep": 0}, {"against": "nobody"}, {"parts": 1}, {"parts": 51}])
def test_options_out_of_range_are_one_sentence(options):
    with pytest.raises(BadInput):
        find_slices(rows_of(table(300)), **options)


def test_too_few_rows_are_refused():
    with pytest.raises(BadInput, match="Rows"):
        find_slices(rows_of(table(30)))


def test_the_seed_makes_the_halves():
    rows = rows_of(table(800))
    assert find_slices(rows, seed=1) == find_slices(rows, seed=1)
    once, again = find_slices(rows, seed=1), find_slices(rows, seed=2)
    assert once.slices[0].search.n != again.slices[0].search.n
    assert replace(once, slices=()) != again
