"""python -m core front: exact group thresholds for scores."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from core.audit.prepare import make_predictions
from core.cli.audit import read_frame, to_line
from core.cli.catalogue import table
from core.fronts import ThresholdFront, group_threshold_front, hull, shared_threshold_front
from core.types import AuditSpec, BadInput, Predictions


def run_front(options: argparse.Namespace) -> int:
    """Print the front."""
    spec = AuditSpec(options.label, options.positive, (), (options.score,), None, options.score_kind,
                     tuple(options.attr), options.weight, missing=options.missing)
    if not spec.attributes:
        raise BadInput("Attribute", "none", "at least one column", "add --attr COLUMN")
    for name in ("cost_fp", "cost_fn"):
        if not 0 <= getattr(options, name) < np.inf:
            raise BadInput(name.replace("_", " "), f"{getattr(options, name)}", "a number of 0 or more", "use 1")
    rows = make_predictions(read_frame(options.table), spec)
    given: tuple[Any, ...] = (rows.models[0].score, rows.y, rows.groups.code, rows.n_attrs)
    common: dict[str, Any] = {"objective": options.objective, "gap": options.gap, "weight": rows.w,
                              "cost_fp": options.cost_fp, "cost_fn": options.cost_fn}
    front = group_threshold_front(*given, resolution=options.resolution, **common)
    points = _points(front, rows)
    best = (max if front.higher_is_better else min)(points, key=lambda p: p["value"], default=None)
    obj: dict[str, Any] = {"objective": front.objective, "gap": front.gap_name, "points": points, "unconstrained": best}
    if options.shared:
        obj["shared"] = _points(shared_threshold_front(*given, **common), rows)
    if options.randomised:
        obj["randomised"] = _coins(front, points)
    if options.format == "json":
        print(json.dumps(obj, indent=1, ensure_ascii=False, allow_nan=False), flush=True)
        return 0
    kinds: list[tuple[str, Any]] = [("by group", points), *([("shared", obj["shared"])] if options.shared else []),
                                     *([("coin's ends", obj["randomised"]["points"])] if options.randomised else [])]
    lines = [[kind, _number(p["gap"]), _number(p["value"]), ", ".join(f"{a} {_number(t)}" for a, t in
              p["thresholds"].items())] for kind, found in kinds for p in found]
    print(table(["thresholds", front.gap_name, front.objective, "score >="], lines), flush=True)
    return 0


def _points(front: ThresholdFront, rows: Predictions) -> list[dict[str, Any]]:
    """A threshold that selects nobody is null."""
    return [{"gap": to_line(g), "value": to_line(v),
             "thresholds": dict(zip(rows.groups.labels, map(to_line, t.tolist()), strict=True))}
            for g, v, t in zip(front.gap, front.value, front.thresholds, strict=True)]


def _coins(front: ThresholdFront, points: list[dict[str, Any]]) -> dict[str, Any]:
    """The rules between which a coin is worth throwing; between two neighbours the expected objective is the mean at
    the coin's chance, and the gap of the expected rates at most that of the gaps."""
    return {"expected": True, "between": "neighbours in this list",
            "points": [points[k] for k in hull(front).tolist()]}


def _number(value: float | None) -> str:
    return "nobody" if value is None else f"{value:.4g}"
