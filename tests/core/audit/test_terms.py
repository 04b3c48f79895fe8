from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.prepare import make_predictions
from core.audit.terms import candidates, examples, goes_with
from core.types import AuditSpec, BadInput

FILLER = ["worked with the team on plans", "looked after the books every day", "was quick and kind at work"]


def letters(n=2000, seed=0):
    """"leader" helps men and harms women, "degree" helps both, "netball" is written by women and has no part."""
    rng = np.random.default_rng(seed)
    woman, leader, degree = rng.random(n) < 0.5, rng.random(n) < 0.4, rng.random(n) < 0.4
    netball = rng.random(n) < np.where(woman, 0.6, 0.02)
    logit = -0.4 * woman + 1.3 * leader * np.where(woman, -1, 1) + 1.0 * (degree - 0.4)
    text = [f"{FILLER[k]}{' as a leader' * a}{' with a degree' * b}{' plays netball' * c}" for k, a, b, c in
            zip(rng.integers(0, 3, n).tolist(), leader.tolist(), degree.tolist(), netball.tolist(), strict=True)]
    return pd.DataFrame({"letter": text, "years": rng.integers(0, 40, n), "town": rng.choice(["a", "b"], n),
                         "sex": np.where(woman, "women", "men"),
                         "hired": np.where(rng.random(n) < 1 / (1 + np.exp(-logit)), "yes", "no")})


def rows_of(frame, **spec):
    return make_predictions(frame, AuditSpec(**({"positive": "yes", "predictions": ("hired",), "attributes": ("sex",)}
                                                | spec)))


def named(found):
    return {found.candidates.names[f.place][1]: f for f in found.findings}


def test_columns_become_words_values_and_terms():
    frame = letters(600).assign(id=[f"n{k}" for k in range(600)])
    found = candidates(frame[["letter", "years", "town", "id"]])
    names = dict.fromkeys(found.names)
    assert ("letter", "“leader”") in names and ("letter", "“leader with”") in names and found.texts == ("letter",)
    assert ("letter", "“as leader”") not in names, "the same texts hold it"
    assert len(np.unique(found.x, axis=1).T) == len(names)
    assert sum(column == "town" for column, _ in names) == 1 and any(c == "years" and "or more" in v for c, v in names)
    assert dict(found.left_out)["id"].endswith("rows each")
    at = found.names.index(("letter", "“leader”"))
    assert (found.x[:, at] == frame["letter"].str.contains("leader")).all()


def test_a_word_that_helps_one_group_and_harms_the_other_is_found_and_a_stand_in_is_not_sure():
    found = goes_with(rows_of(letters()))
    by_name = named(found)
    assert by_name["“leader”"].turns and by_name["“leader”"].turn_holm < 1e-3
    assert by_name["“degree”"].within_holm < 1e-3 and not by_name["“degree”"].turns
    assert "“netball”" not in by_name or by_name["“netball”"].within_holm > 0.05
    assert set(found.strata) == {"men", "women"} and found.asked == "predicted yes"


def test_what_tells_the_groups_apart_is_asked_within_the_decision():
    rows = rows_of(letters())
    place = {label: k for k, label in enumerate(rows.groups.labels)}
    found = goes_with(rows, target="group", first=place["women"], second=place["men"])
    assert found.strata == ("not predicted yes", "predicted yes") and found.asked == "women rather than men"
    assert named(found)["“netball”"].within.low > 0.3


def test_examples_are_rows_that_have_it_in_that_stratum():
    rows = rows_of(letters())
    found = goes_with(rows)
    place = found.candidates.names.index(("letter", "“leader”"))
    shown = examples(rows, found, place, 0)
    assert 1 <= len(shown) <= 3 and all("leader" in text for text in shown)


def test_parts_of_a_feature_can_be_the_strata_and_it_is_no_candidate_then():
    found = goes_with(rows_of(letters()), by="town")
    assert set(found.strata) == {"a", "b"} and all(column != "town" for column, _ in found.candidates.names)


def test_persons_have_one_row_and_large_tables_are_sampled():
    frame = letters(3000).assign(who=lambda f: np.arange(len(f)) // 2)
    found = goes_with(rows_of(frame, person="who"))
    assert len(found.at) == 1500 and found.notes[0].startswith("One row of every person")
    big = goes_with(rows_of(letters(7000)))
    assert len(big.at) == 5000 and "a random 5,000 are used" in big.notes[0]


def test_small_strata_are_left_out_and_too_few_are_refused():
    frame = letters(500)
    frame.loc[:9, "sex"] = "other"
    found = goes_with(rows_of(frame))
    assert set(found.strata) == {"men", "women"} and found.notes[0].endswith("1 of 3 strata.")
    with pytest.raises(BadInput, match="Strata"):
        goes_with(rows_of(letters(200).assign(sex="men")))
    with pytest.raises(BadInput, match="choose a feature"):
        goes_with(rows_of(letters(200)), by="income")
    with pytest.raises(BadInput, match="columns with values that repeat"):
        goes_with(rows_of(letters(200)[["sex", "hired"]].assign(id=[f"n{k}" for k in range(200)])))


def test_many_candidates_are_screened_and_say_so():
    rng = np.random.default_rng(0)
    frame = letters(800)[["sex", "hired"]].join(pd.DataFrame(rng.normal(size=(800, 200))).add_prefix("f"))
    frame["f7"] = (frame["hired"] == "yes") + 0.01 * rng.normal(size=800)
    found = goes_with(rows_of(frame))
    assert len(found.candidates.names) == 150 and "Of 200 words and values" in found.notes[0]
    assert found.candidates.names[found.findings[0].place][0] == "f7"
