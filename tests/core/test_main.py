from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_module_runs_as_a_program_and_passes_on_its_status():
    good = subprocess.run([sys.executable, "-m", "core", "metrics", "--format", "json"], cwd=ROOT, capture_output=True)
    assert good.returncode == 0 and good.stderr == b""
    assert {m["name"] for m in json.loads(good.stdout)} >= {"accuracy", "tpr"}
    bad = subprocess.run([sys.executable, "-m", "core", "audit"], cwd=ROOT, capture_output=True, text=True)
    assert bad.returncode == 2 and bad.stdout == "" and bad.stderr.count("\n") == 1 and "TABLE" in bad.stderr
