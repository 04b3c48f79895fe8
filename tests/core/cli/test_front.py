from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from core.cli.main import main


def test_front_is_sorted_and_names_groups(tmp_path, capsys):
    path = tmp_path / "t.csv"
    pd.DataFrame({"y": [1, 1, 0, 0] * 2, "s": [0.9, 0.8, 0.7, 0.1, 0.9, 0.2, 0.3, 0.1],
                  "g": list("aaaabbbb")}).to_csv(path, index=False)
    command = ["front", str(path), "--label", "y", "--positive", "1", "--score", "s", "--attr", "g"]
    assert main([*command, "--shared", "--format", "json"]) == 0
    obj = json.loads(capsys.readouterr().out)
    gaps = [p["gap"] for p in obj["points"]]
    assert gaps == sorted(gaps) and set(obj["points"][0]["thresholds"]) == {"a", "b"}
    assert obj["unconstrained"]["value"] == max(p["value"] for p in obj["points"]) and obj["shared"]
    assert main([*command[:-2], "--format", "json"]) == 2


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 40)
    return pd.DataFrame({"y": y, "s": np.round(rng.random(40) * 0.6 + 0.4 * y * rng.random(40), 1),
                         "g": np.where(np.arange(40) % 3 == 0, "a", "b"), "w": rng.integers(1, 4, 40)})


def ask(path, capsys, *more):
    command = ["front", str(path), "--label", "y", "--positive", "1", "--score", "s", "--attr", "g"]
    assert main([*command, *more, "--resolution", "0", "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_weights_and_costs_give_the_cheapest_pair_of_thresholds(tmp_path, capsys, rows):
    path = tmp_path / "t.csv"
    rows.to_csv(path, index=False)
    found = ask(path, capsys, "--objective", "expected_cost", "--cost-fp", "2", "--cost-fn", "5", "--weight", "w")
    cuts = [*sorted(rows["s"].unique()), np.inf]
    costs = []
    for a, b in itertools.product(cuts, cuts):
        picked = rows["s"] >= np.where(rows["g"] == "a", a, b)
        cost = np.where(picked, 2.0 * (rows["y"] == 0), 5.0 * (rows["y"] == 1))
        costs.append((cost * rows["w"]).sum() / rows["w"].sum())
    assert found["unconstrained"]["value"] == pytest.approx(min(costs))


def test_coins_are_named_expected_and_lie_on_the_front(tmp_path, capsys, rows):
    path = tmp_path / "t.csv"
    rows.to_csv(path, index=False)
    found = ask(path, capsys, "--randomised")
    coins = found["randomised"]
    assert coins["expected"] is True and all(point in found["points"] for point in coins["points"])
    assert coins["points"][0] == found["points"][0]
    command = ["front", str(path), "--label", "y", "--positive", "1", "--score", "s", "--attr", "g", "--randomised"]
    assert main(command) == 0 and "coin's ends" in capsys.readouterr().out


def test_a_built_in_set_needs_no_file(capsys):
    assert main(["front", "compas", "--label", "outcome", "--positive", "re-arrested", "--score", "COMPAS score",
                 "--score-kind", "points", "--attr", "sex", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["points"][0]["thresholds"]) == {"men", "women"} and 0.6 < found["unconstrained"]["value"] < 0.7
