from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.audit.prepare import make_predictions
from core.audit.why import gail_simon, why
from core.types import AuditSpec, BadInput

BERKELEY = {"A": (825, 62, 108, 82), "B": (560, 63, 25, 68), "C": (325, 37, 593, 34), "D": (417, 33, 375, 35),
            "E": (191, 28, 393, 24), "F": (373, 6, 341, 7)}  # men, per cent, women, per cent (autumn 1973)


def berkeley() -> pd.DataFrame:
    rows = []
    for department, (men, share_m, women, share_w) in BERKELEY.items():
        for sex, n, share in (("men", men, share_m), ("women", women, share_w)):
            admitted = round(n * share / 100)
            rows += [(department, sex, "yes")] * admitted + [(department, sex, "no")] * (n - admitted)
    return pd.DataFrame(rows, columns=["department", "sex", "admitted"])


def rows_of(frame, **spec):
    return make_predictions(frame, AuditSpec(**({"positive": "yes", "predictions": ("admitted",),
                                                 "attributes": ("sex",)} | spec)))


def simulated(n=4000, seed=0, effect=0.0, noise=True):
    """Women lie more in stratum 1, whose rate is lower; `effect` is added for women in every stratum."""
    rng = np.random.default_rng(seed)
    woman = rng.random(n) < 0.5
    part = (rng.random(n) < np.where(woman, 0.7, 0.3)).astype(int)
    rate = np.where(part == 1, 0.3, 0.6) + effect * woman
    frame = pd.DataFrame({"sex": np.where(woman, "women", "men"), "part": np.where(part == 1, "low", "high"),
                          "admitted": np.where(rng.random(n) < rate, "yes", "no")})
    return frame.assign(noise=rng.normal(size=n)) if noise else frame


def test_berkeley_turns_around_within_departments():
    found = why(rows_of(berkeley()))
    assert found.outcome.counted == "predicted yes"
    assert [rate.value for rate in found.rates] == pytest.approx([0.303, 0.445], abs=0.002)
    assert found.raw.value == pytest.approx(-0.1416, abs=2e-3) and found.raw.high < -0.11
    reason = found.reasons[0]
    men, share_m, women, share_w = (np.array(c, float) for c in zip(*BERKELEY.values(), strict=True))
    rate_m, rate_w = np.round(men * share_m / 100) / men, np.round(women * share_w / 100) / women
    weight = (men + women) / (men + women).sum()
    assert reason.standardised.value == pytest.approx((weight * (rate_w - rate_m)).sum())
    assert 0 < reason.standardised.value < 0.06
    assert reason.turned == "most" and reason.against == pytest.approx(weight[rate_w > rate_m].sum())
    assert reason.share.value > 1 and reason.p_holm < 1e-6
    assert [s.label for s in reason.strata] == ["A", "C", "D", "F", "B", "E"] and reason.common == 1


def test_the_split_adds_up_exactly_and_matches_kitagawa_by_hand():
    found = why(rows_of(berkeley()))
    reason, raw = found.reasons[0], found.raw.value
    assert reason.composition.value + reason.rate.value + reason.outside.value == pytest.approx(raw, abs=1e-12)
    table = berkeley().assign(x=lambda f: f["admitted"] == "yes")
    rate = table.groupby(["department", "sex"])["x"].mean().unstack()
    share = table.groupby("sex")["department"].value_counts(normalize=True).unstack(0).loc[rate.index]
    by_hand = ((share["women"] - share["men"]) * rate.mean(axis=1)).sum()
    assert reason.composition.value == pytest.approx(by_hand, abs=1e-12) and reason.outside.value == 0


def test_parts_with_one_group_alone_are_told_apart_and_the_sum_still_holds():
    frame = pd.concat([berkeley(), pd.DataFrame({"department": ["G"] * 100, "sex": ["men"] * 100,
                                                 "admitted": ["yes"] * 90 + ["no"] * 10})], ignore_index=True)
    found = why(rows_of(frame))
    reason = found.reasons[0]
    assert reason.outside.value < -0.005 and reason.outside.high < 0 and reason.common == pytest.approx(4526 / 4626)
    total = reason.composition.value + reason.rate.value + reason.outside.value
    assert total == pytest.approx(found.raw.value, abs=1e-12)
    alone = next(s for s in reason.strata if s.label == "G")
    assert alone.difference.undefined == "people of one group alone" and math.isnan(alone.rate_first)


def test_noise_explains_nothing_and_the_true_reason_everything():
    found = why(rows_of(simulated()))
    by_name = {r.names: r for r in found.reasons}
    noise, part = by_name["noise",], by_name["part",]
    assert found.reasons[0] is part and part.p_holm < 1e-6 and noise.p_holm > 0.05
    assert abs(noise.share.value) < 0.05 and noise.share.low < 0 < noise.share.high
    assert part.share.low < 1 < part.share.high and part.standardised.low < 0 < part.standardised.high
    assert part.turned == "" or part.turn_holm > 0.05


def test_noise_is_called_a_reason_no_more_often_than_the_level_says():
    p = [next(r for r in why(rows_of(simulated(600, seed))).reasons if r.names == ("noise",)).p for seed in range(60)]
    assert np.mean(np.array(p) < 0.05) <= 0.05


@pytest.mark.parametrize("effect", [0.0, 0.15])
def test_the_standardised_difference_covers_the_true_one(effect):
    inside = []
    for seed in range(80):
        frame = simulated(400, seed, effect, noise=False)
        rows = rows_of(frame)
        place = {label: k for k, label in enumerate(rows.groups.labels)}
        value = why(rows, first=place["women"], second=place["men"]).reasons[0].standardised
        inside.append(value.low <= effect <= value.high)
    assert np.mean(inside) >= 0.9


def test_intervals_of_the_split_cover_what_repeated_samples_say():
    values = []
    for seed in range(80):
        rows = rows_of(simulated(600, seed, noise=False))
        place = {label: k for k, label in enumerate(rows.groups.labels)}
        values.append(why(rows, first=place["women"], second=place["men"]).reasons[0].composition)
    half = np.mean([(v.high - v.low) / 2 for v in values]) / 1.96
    assert np.std([v.value for v in values]) == pytest.approx(half, rel=0.25)
    assert np.mean([v.low <= -0.12 <= v.high for v in values]) >= 0.88  # (0.7 - 0.3) * (0.3 - 0.6)


def test_a_reversal_is_larger_than_chance_with_enough_rows_and_not_with_few():
    assert why(rows_of(pd.concat([berkeley()] * 4, ignore_index=True))).reasons[0].turn_holm < 0.01
    few = why(rows_of(berkeley().sample(400, random_state=0)), first=1, second=0).reasons[0]
    assert few.turn_holm > 0.05


def test_signs_that_truly_cross_between_parts_are_told_from_those_that_do_by_chance():
    rng = np.random.default_rng(3)
    woman, part = rng.random(2000) < 0.5, rng.integers(0, 2, 2000)
    rate = 0.5 + np.where(part == 1, 0.2, -0.2) * woman
    frame = pd.DataFrame({"sex": np.where(woman, "women", "men"), "part": np.where(part == 1, "one", "other"),
                          "chance": rng.integers(0, 2, 2000).astype(str),
                          "admitted": np.where(rng.random(2000) < rate, "yes", "no")})
    by_name = {r.names[0]: r for r in why(rows_of(frame)).reasons}
    assert by_name["part"].crossing_holm < 1e-4 and by_name["chance"].crossing_holm > 0.05
    assert why(rows_of(berkeley())).reasons[0].crossing_holm > 0.2, "C and E are within chance of the others"


def test_whole_weights_are_repeated_rows_in_every_value():
    frame = simulated(1500).assign(w=lambda f: np.arange(len(f)) % 3 + 1)
    one = why(rows_of(frame, weight="w"), features=["part"]).reasons[0]
    again = why(rows_of(frame.loc[frame.index.repeat(frame["w"])].drop(columns="w")), features=["part"]).reasons[0]
    for name in ("standardised", "composition", "rate", "share"):
        assert getattr(one, name).value == pytest.approx(getattr(again, name).value), name
    assert one.standardised.high - one.standardised.low > again.standardised.high - again.standardised.low


def test_rows_of_one_person_do_not_make_it_surer():
    frame = simulated(500).assign(who=lambda f: np.arange(len(f)))
    copies = pd.concat([frame] * 5, ignore_index=True)
    alone, copied = (why(rows_of(f, person="who"), features=["part"]) for f in (frame, copies))
    plain = why(rows_of(frame.drop(columns="who")), features=["part"])
    for a, b in ((alone, copied), (alone, plain)):
        assert b.raw.low == pytest.approx(a.raw.low, abs=2e-4)
        assert b.reasons[0].standardised.low == pytest.approx(a.reasons[0].standardised.low, abs=2e-3)
        assert b.reasons[0].composition.low == pytest.approx(a.reasons[0].composition.low, abs=2e-3)


def test_pairs_are_tried_when_asked_and_share_the_adjustment():
    rows = rows_of(simulated())
    found = why(rows, crossed=2)
    assert {r.names for r in found.reasons} == {("part",), ("noise",), ("part", "noise")}
    pair = next(r for r in found.reasons if len(r.names) == 2)
    assert len(pair.strata) == 10 and pair.p_holm >= pair.p


@pytest.mark.parametrize("outcome, rate", [("label", 0.5), ("tpr", 0.8), ("fpr", 0.4), ("error", 0.3)])
def test_other_rates_speak_of_their_own_rows(outcome, rate):
    rows = [("women", y, s, k % 2) for y, s, n in (("yes", "yes", 40), ("yes", "no", 10), ("no", "yes", 20),
                                                   ("no", "no", 30)) for k in range(n)]
    rows += [("men", y, "yes", k % 2) for y in ("yes", "no") for k in range(50)]
    frame = pd.DataFrame(rows, columns=["sex", "y", "admitted", "f"])
    checked = rows_of(frame, label="y")
    place = list(checked.groups.labels).index("women")
    found = why(checked, outcome=outcome, first=place, second=1 - place)
    assert found.rates[0].value == pytest.approx(rate)


def test_what_cannot_part_anybody_is_left_out_with_its_reason():
    frame = berkeley().assign(same="x", name=lambda f: [f"person {k}" for k in range(len(f))])
    found = why(rows_of(frame))
    assert dict(found.left_out) == {"same": "one value", "name": "4,526 values with fewer than 10 rows each"}


def test_bad_groups_and_features_are_one_sentence():
    rows = rows_of(berkeley())
    with pytest.raises(BadInput, match="choose two groups"):
        why(rows, first=0, second=0)
    with pytest.raises(BadInput, match="choose others"):
        why(rows, features=["income"])
    with pytest.raises(BadInput, match="Outcome"):
        why(rows, outcome="tpr")
    with pytest.raises(BadInput, match="use 5"):
        why(rows, parts=1)
    with pytest.raises(BadInput, match="one group"):
        why(rows_of(berkeley().assign(sex="men")))
    with pytest.raises(BadInput, match="Features"):
        why(replace(rows, features=rows.features[[]]))


def test_no_part_with_both_groups_is_undefined_in_words():
    frame = berkeley().assign(department=lambda f: f["sex"] + " only")
    reason = why(rows_of(frame)).reasons[0]
    assert reason.standardised.undefined == "no part has people of both groups" and math.isnan(reason.p_holm)


def test_signs_that_agree_never_cross():
    assert gail_simon(np.array([0.1, 0.2, 0.3]), np.full(3, 0.1)) == 1.0
    assert gail_simon(np.array([0.5, -0.5, 0.5]), np.full(3, 0.1)) < 1e-4
