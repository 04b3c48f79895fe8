from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.local import local_gaps, local_outcomes, local_tree, said
from core.audit.prepare import make_predictions
from core.gaps import gap_interval
from core.types import AuditSpec, BadInput


def rows_of(frame, **spec):
    label = {"label": "y"} if "y" in frame and "label" not in spec else {}
    return make_predictions(frame, AuditSpec(**({"positive": "yes", "predictions": ("p",), "attributes": ("g",)}
                                                | label | spec)))


def opposed(each=100):
    """In job a all women are selected and no man, in job b the other way round."""
    rows = [("a", "women", "yes"), ("a", "men", "no"), ("b", "women", "no"), ("b", "men", "yes")]
    return pd.DataFrame(rows * each, columns=["job", "g", "p"])


def drawn(n=4000, gaps=(0.0,) * 4, seed=0, base=0.5, groups=2):
    """Cells c0, c1 ... in which groups differ by `gaps` in being selected."""
    rng = np.random.default_rng(seed)
    cell, g = rng.integers(0, len(gaps), n), rng.integers(0, groups, n)
    rate = base + np.asarray(gaps)[cell] * (g / (groups - 1) - 0.5)
    return pd.DataFrame({"cell": [f"c{k}" for k in cell], "g": [f"g{k}" for k in g],
                         "p": np.where(rng.random(n) < rate, "yes", "no")})


def test_parity_overall_and_none_in_any_region():
    found = local_gaps(rows_of(opposed()), features=("job",))
    assert found.overall.gap.value == 0 and found.overall.gap.low == 0
    assert [r.gap.value for r in found.regions] == [1.0, 1.0] and found.mean.value == 1.0
    assert found.mean.low > 0.8 and found.mean.high == 1.0 and found.p < 0.01 and found.chance < 0.12
    assert found.worst.value == 1.0 and found.worst.low > 0.9 and found.covered == 1.0
    assert {r.label: r.groups for r in found.regions} == {"job = a": ("men", "women"), "job = b": ("women", "men")}
    assert all(r.p_holm < 1e-20 for r in found.regions)
    assert found.worst_three.undefined == "2 regions with two groups"


def test_the_tree_finds_the_same_regions_and_measures_them_on_the_other_half():
    found = local_tree(rows_of(opposed(400)), leaves=2)
    assert {r.label for r in found.regions} == {"job = a", "job not a"} and found.n == 800
    assert found.mean.value == 1.0 and found.overall.gap.value < 0.12


def test_the_reverse_a_gap_overall_and_none_within_regions():
    rows = [("a", "women", "yes")] * 90 + [("a", "men", "yes")] * 10 + [("b", "women", "no")] * 10
    frame = pd.DataFrame([*rows, *[("b", "men", "no")] * 90], columns=["job", "g", "p"])
    found = local_gaps(rows_of(frame), features=("job",))
    assert found.overall.gap.value == pytest.approx(0.8) and found.mean.value == 0 == found.mean.low
    assert all(r.gap.value == 0 and r.p_holm == 1 for r in found.regions) and found.p == 1
    assert "In no region is the gap larger than chance explains." in said(found)


@pytest.mark.parametrize("weight", ["", "w"])
def test_numbers_are_those_of_a_table_by_hand(weight):
    rng = np.random.default_rng(4)
    frame = drawn(1500, (0.1, -0.3, 0.2), groups=3, seed=3).assign(w=rng.choice([0.5, 2.0], 1500))
    found = local_gaps(rows_of(frame if weight else frame.drop(columns="w"), weight=weight), features=("cell",))
    w = frame["w"] if weight else pd.Series(1.0, frame.index)
    hit = frame["p"] == "yes"
    for region in found.regions:
        here = frame["cell"] == region.label.split(" = ")[1]
        assert region.n == here.sum() and region.share == pytest.approx(w[here].sum() / w.sum())
        by = {g: (np.average(hit[here & (frame["g"] == g)], weights=w[here & (frame["g"] == g)]),
                  w[here & (frame["g"] == g)].sum() ** 2 / (w[here & (frame["g"] == g)] ** 2).sum())
              for g in ("g0", "g1", "g2")}
        assert {g: v.value for g, v in region.rates.items()} == pytest.approx({g: v[0] for g, v in by.items()})
        rates, sizes = (np.array([by[g][k] for g in region.rates]) for k in (0, 1))
        assert region.gap.value == pytest.approx(np.ptp(rates))
        ends = gap_interval(rates, sizes, 1 - 0.05 / 3)
        assert (region.gap.low, region.gap.high) == pytest.approx((float(ends[0]), float(ends[1])))
        assert region.groups == (min(by, key=lambda g: by[g][0]), max(by, key=lambda g: by[g][0]))
    each = np.array([(r.share, r.gap.value, r.gap.low, r.gap.high) for r in found.regions])
    assert found.mean.value == pytest.approx((each[:, 0] * each[:, 1]).sum())
    assert found.worst.value == each[:, 1].max() and found.worst_three.value == pytest.approx(each[:, 1].mean())
    assert (found.worst.low, found.worst.high) == pytest.approx((each[:, 2].max(), each[:, 3].max()))
    assert [r.gap.low for r in found.regions] == sorted(each[:, 2], reverse=True)


def test_true_and_false_positives_count_their_own_rows():
    frame = opposed().assign(y=["yes"] * 200 + ["no"] * 200)
    rows = rows_of(frame)
    assert local_outcomes(rows) == ("selection", "tpr", "fpr", "error")
    for outcome in ("tpr", "fpr"):
        found = local_gaps(rows, outcome=outcome, features=("job",))
        assert found.n == 200 and [r.gap.value for r in found.regions] == [1.0, 1.0] and found.outcome.name == outcome
    assert local_outcomes(rows_of(opposed())) == ("selection",)


@pytest.mark.parametrize("gaps", [(0.0,) * 6, (0.2, -0.2) * 3, (0.0, 0.0, 0.0, 0.0, 0.0, 0.4), (0.05,) * 6])
def test_the_interval_of_the_mean_covers_at_least_as_often_as_it_says(gaps):
    true, inside = np.mean(np.abs(gaps)), []
    for seed in range(100):
        mean = local_gaps(rows_of(drawn(1500, gaps, seed)), features=("cell",), seed=seed).mean
        inside.append(mean.low <= true <= mean.high)
    assert np.mean(inside) >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / 100)


def test_chance_alone_makes_gaps_and_is_told_beside_the_mean():
    found = [local_gaps(rows_of(drawn(1500, (0.0,) * 6, 10_000 + seed)), features=("cell",), seed=seed)
             for seed in range(300)]
    mean, chance = np.mean([(f.mean.value, f.chance) for f in found], axis=0)
    assert mean > 0.04 and chance == pytest.approx(mean, rel=0.05)
    rare = 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)
    assert 0.02 <= np.mean([f.p < 0.05 for f in found]) <= rare
    assert 0.02 <= np.mean([any(r.p_holm < 0.05 for r in f.regions) for f in found]) <= rare


def test_rows_of_one_person_are_not_counted_as_many():
    once = drawn(600, (0.4, -0.4))
    often = pd.concat([once] * 5, ignore_index=True).assign(who=np.tile(np.arange(600), 5))
    alone, together = (local_gaps(rows_of(f, **s), features=("cell",)) for f, s in (
        (once, {}), (often, {"person": "who"})))
    assert together.mean.value == pytest.approx(alone.mean.value) and together.n == 3000
    for a, b in zip(alone.regions, together.regions, strict=True):
        assert (b.gap.low, b.gap.high, b.p) == pytest.approx((a.gap.low, a.gap.high, a.p))
    tree = local_tree(rows_of(often, person="who"), leaves=2)
    assert 1300 < tree.n < 1700


def test_regions_that_cannot_be_compared_are_named_with_the_reason():
    more = [("c", "women", "yes")] * 80 + [("d", "men", "yes")] * 20
    frame = pd.concat([opposed(), pd.DataFrame(more, columns=["job", "g", "p"])], ignore_index=True)
    found = local_gaps(rows_of(frame), features=("job",))
    assert dict(found.left_out) == {"job = c": "1 group with at least 10 rows", "job = d": "20 rows, fewer than 50"}
    assert found.covered == pytest.approx(0.8) and sum(r.share for r in found.regions) == pytest.approx(0.8)
    none = local_gaps(rows_of(frame), features=("job",), least=2000)
    assert not none.regions and none.mean.undefined and none.worst.undefined
    assert said(none)[-1] == "No region has two groups with enough rows."


def test_sentences_set_the_regions_against_everyone():
    told = said(local_gaps(rows_of(opposed()), features=("job",)))
    assert told[0].startswith("Overall, 50 (") and "a gap of 0.0 points" in told[0]
    assert "Within 2 regions (cells of job), which hold 100 % of the rows, the mean gap is 100.0 points" in told[1]
    assert "2 of 2 regions have a gap larger than chance explains" in told[2] and "0 (men) and 100 (women)" in told[2]


@pytest.mark.parametrize(("call", "options"), [
    (local_gaps, {"features": ("g",)}), (local_gaps, {"features": ("job",), "outcome": "auc"}),
    (local_gaps, {"features": ("job",), "least": 0}), (local_gaps, {"features": ("job",), "parts": 1}),
    (local_tree, {"leaves": 1}), (local_gaps, {"features": ("job",), "outcome": "tpr"})])
def test_options_out_of_range_are_one_sentence(call, options):
    with pytest.raises(BadInput):
        call(rows_of(opposed()), **options)


def test_one_group_is_refused():
    with pytest.raises(BadInput, match="one group"):
        local_gaps(rows_of(opposed().assign(g="women")), features=("job",))
