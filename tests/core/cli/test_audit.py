from __future__ import annotations

import json

import pandas as pd
import pytest

from core.cli.main import main


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"y": ["yes", "yes", "no", "no"] * 3, "p": [1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
                  "s": [0.9, 0.8, 0.7, 0.1, 0.6, 0.2, 0.3, 0.1, 0.2, 0.3, 0.1, 0.2],
                  "g": list("aaaabbbbcccc")}).to_csv(path, index=False)
    return str(path)


def ask(table, *more):
    return main(["audit", table, "--label", "y", "--positive", "yes", "--attr", "g", *more])


def test_json_has_the_agreed_shape(table, capsys):
    assert ask(table, "--prediction", "p", "--format", "json") == 0
    obj = json.loads(capsys.readouterr().out)
    assert obj["n"] == 12 and obj["groups"][0]["group"] == {"g": "a"} and obj["groups"][0]["small"]
    assert obj["reductions"]["selection_rate.gap"]["value"] == 0.75


def test_a_rule_that_holds_fails(table, capsys):
    assert ask(table, "--prediction", "p", "--fail-if", "tpr.gap>0.1") == 1
    assert ask(table, "--score", "s", "--threshold", "0.65", "--fail-if", "tpr.gap>1") == 0


@pytest.mark.parametrize("more", [["--prediction", "s"], ["--score", "s"], ["--prediction", "q"], [],
                                  ["--prediction", "p", "--fail-if", "x"]])
def test_bad_input_is_one_line(table, capsys, more):
    assert ask(table, *more) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_each_attribute_has_its_own_audit_and_the_reference_is_the_one_named(tmp_path, capsys):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"y": [1, 0] * 12, "p": [1, 0, 0] * 8, "sex": ["f", "m", "m"] * 8,
                          "age": ["old", "young"] * 12})
    frame.to_csv(path, index=False)
    command = ["audit", str(path), "--label", "y", "--positive", "1", "--prediction", "p", "--attr", "sex", "--attr",
               "age", "--reference", "sex=f", "--format", "json"]
    assert main([*command, "--each"]) == 0
    one, other = json.loads(capsys.readouterr().out)
    assert (one["attrs"], other["attrs"]) == (["sex"], ["age"])
    assert {g["label"] for g in one["groups"]} == {"f", "m"}
    share = {g["label"]: g["metrics"]["selection_rate"]["value"] for g in one["groups"]}
    away = one["reductions"]["selection_rate.to_reference"]
    assert abs(away["value"]) == abs(share["m"] - share["f"]) and away["groups"][-1] in ("f", "m")


def test_a_built_in_set_is_audited_by_its_name(capsys):
    assert main(["audit", "compas", "--label", "outcome", "--positive", "re-arrested", "--score", "COMPAS score",
                 "--score-kind", "points", "--threshold", "5", "--attr", "sex", "--format", "json"]) == 0
    obj = json.loads(capsys.readouterr().out)
    assert {g["label"] for g in obj["groups"]} == {"men", "women"} and obj["n_used"] > 6000
