from __future__ import annotations

import json

import pandas as pd

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
