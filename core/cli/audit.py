"""python -m core audit: predictions in, numbers by group out."""

from __future__ import annotations

import argparse
import math
import operator
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd

from core import registry
from core.audit.audit import Audit, audit
from core.audit.export import to_json
from core.audit.prepare import make_predictions
from core.cli.catalogue import table as as_table
from core.types import AuditSpec, BadInput

RULE = re.compile(r"\s*([^<>=\s]+)\s*(>=|<=|>|<)\s*([-+0-9.eE]+)\s*")
COMPARE = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}
SHOWN = ("selection_rate", "accuracy", "tpr", "fpr", "ppv", "roc_auc")


def read_frame(name: str) -> pd.DataFrame:
    """The table of a file, or of a built-in set where no such file exists."""
    from core.data.read import read_table

    path = Path(name)
    if not path.is_file() and name in registry.datasets():
        from core.data.load import check_options

        entry = registry.dataset(name)
        return entry.load(check_options(entry, {})).frame
    try:
        content = path.read_bytes()
    except (OSError, ValueError):
        known = ", ".join(registry.datasets())
        raise BadInput("Table", repr(name[:80]), f"a file that can be read, or one of {known}",
                       "check the path") from None
    return read_table(content, path.name).frame


def run_audit(options: argparse.Namespace) -> int:
    """Print the audit, or one per attribute; 1 where a rule of --fail-if holds."""
    rules = [_rule(text) for text in options.fail_if]
    spec, frame = _spec(options), read_frame(options.table)
    each = options.each and len(spec.attributes) > 1
    specs = [replace(spec, attributes=(a,), reference={k: v for k, v in spec.reference.items() if k == a})
             for a in spec.attributes] if each else [spec]
    found = [audit(make_predictions(frame, one)) for one in specs]
    failed = [said for one in found for rule in rules if (said := _holds(one, *rule))]
    if options.format == "json":
        texts = [to_json(one) for one in found]
        print("[" + ",\n".join(texts) + "]" if options.each else texts[0], flush=True)
    else:
        print("\n\n".join(_text(one) for one in found), flush=True)
    if failed:
        import sys

        print("Failed: " + "; ".join(failed), file=sys.stderr, flush=True)
    return 1 if failed else 0


def _spec(options: argparse.Namespace) -> AuditSpec:
    if bool(options.prediction) == bool(options.score):
        raise BadInput("Command line", "both or neither of --prediction and --score", "one of them", "give one")
    if options.score and options.threshold is None:
        raise BadInput("Threshold", "nothing", "a number", "add --threshold 0.5")
    reference = {}
    for piece in filter(None, options.reference.split(",")):
        name, equals, word = piece.partition("=")
        if not equals:
            raise BadInput("Reference", repr(piece), "ATTRIBUTE=VALUE", 'write "sex=women,age=45+"')
        reference[name.strip()] = word.strip()
    if options.min_n < 0:
        raise BadInput("--min-n", str(options.min_n), "0 or more", "use 10")
    return AuditSpec(options.label, options.positive, (options.prediction,) if options.prediction else (),
                     (options.score,) if options.score else (), options.threshold, options.score_kind,
                     tuple(options.attr), options.weight, options.person, reference, options.missing, options.min_n,
                     options.level)


def _rule(text: str) -> tuple[str, str, float]:
    found = RULE.fullmatch(text)
    try:
        return (found[1], found[2], float(found[3])) if found else _no_rule(text)
    except ValueError:
        return _no_rule(text)


def _no_rule(text: str) -> tuple[str, str, float]:
    raise BadInput("--fail-if", repr(text), "a quantity, a sign and a number", 'write "tpr.gap>0.1"')


def _holds(found: Audit, key: str, sign: str, bound: float) -> str:
    """The failure in words; an undefined number fails too, since the check could not be made."""
    value = found.reductions[key].value if key in found.reductions else found.overall.get(key)
    if value is None:
        raise BadInput("--fail-if", repr(key), "a quantity of the audit such as tpr.gap or accuracy", "check its name")
    if value.undefined:
        return f"{key} is undefined ({value.undefined})"
    return f"{key} is {value.value:.4g} ({sign} {bound:g})" if COMPARE[sign](value.value, bound) else ""


def _text(found: Audit) -> str:
    slugs = [s for s in SHOWN if s in found.overall]

    def cell(v) -> str:
        if v.undefined:
            return f"undefined, {v.undefined}"
        return f"{v.value:.3f}" + (f" ({v.low:.3f} to {v.high:.3f})" if math.isfinite(v.low) else "")

    rows = [[g.label, f"{g.n:,}", *[cell(g.metrics[s]) for s in slugs]] for g in found.groups]
    rows.append(["everyone", f"{found.n_used:,}", *[cell(found.overall[s]) for s in slugs]])
    keys = [k for k in found.reductions if k.rsplit(".", 1)[0] in (*slugs, "equalized_odds", "demographic_parity",
                                                                "equal_opportunity")]
    between = [[k, cell(r.value), ", ".join(r.groups), "; ".join(f"{a}: {b}" for a, b in r.left_out)]
               for k in keys for r in [found.reductions[k]]]
    return (as_table(["group", "rows", *slugs], rows) + "\n\n"
            + as_table(["between groups", "value", "speaks of", "left out"], between))


def to_line(value: float) -> float | None:
    """A finite number for JSON, else null."""
    return float(value) if math.isfinite(value) else None


