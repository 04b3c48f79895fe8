"""An audit to take along: CSV, JSON and a self-contained HTML page, with small cells hidden where asked."""

from __future__ import annotations

import csv
import html
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from core import registry
from core.audit.audit import Audit, GroupRow

HIDDEN = "hidden, few rows"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
STYLE = ("body{font:16px system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}"
         "table{border-collapse:collapse;margin:1rem 0}td,th{border-bottom:1px solid #ccc;padding:.3rem .6rem;"
         "text-align:left;vertical-align:top}")


def to_json(found: Audit, suppress_under: int = 0) -> str:
    """The shape that the command line prints."""
    return json.dumps(_shown(found, suppress_under), indent=1, ensure_ascii=False, allow_nan=False)


def to_csv(found: Audit, suppress_under: int = 0) -> str:
    """One row per group (or everyone, or reduction) and metric; no cell can run as a formula in a spreadsheet."""
    shown, out = _shown(found, suppress_under), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["part", "label", "metric", "value", "low", "high", "n", "undefined"])
    parts = [("everyone", "everyone", shown["overall"])]
    parts += [("group", g["label"], g["metrics"]) for g in shown["groups"]]
    parts += [("between groups", ", ".join(r["groups"]), {key: r}) for key, r in shown["reductions"].items()]
    for part, label, values in parts:
        for slug, v in values.items():
            row = [part, label, slug, v["value"], v["low"], v["high"], v["n"], v["undefined"]]
            writer.writerow([_safe(cell) for cell in row])
    return out.getvalue()


def to_html(found: Audit, title: str = "Audit", suppress_under: int = 0) -> str:
    """One page without any outside resource; every name is escaped."""
    shown = _shown(found, suppress_under)
    slugs = list(shown["overall"])
    head = ["Group", "Rows", *[_title(s) for s in slugs]]
    body = [[g["label"], g["n"] if g["n"] is not None else HIDDEN, *[_words(g["metrics"].get(s)) for s in slugs]]
            for g in shown["groups"]]
    body.append(["everyone", shown["n_used"], *[_words(shown["overall"][s]) for s in slugs]])
    between = [[key, _words(r), ", ".join(r["groups"]), "; ".join(f"{o['label']}: {o['reason']}" for o in
                r["left_out"])] for key, r in shown["reductions"].items()]
    known = registry.metrics("")
    method = [[_title(s), known[s].equation, known[s].help] for s in slugs if s in known]
    left = "; ".join(f"{'a few' if e['n'] is None else e['n']} {e['reason']}" for e in shown["excluded"]) or "nothing"
    whole = HIDDEN if shown["n"] is None else f"{shown['n']} rows"
    facts = (f"{shown['n_used']} of {whole} counted; left out: {left}. Positive class: "
             f"{shown['positive'] or 'none named'}. Intervals of {100 * found.level:g} %.")
    return ("<!doctype html><html lang='en'><head><meta charset='utf-8'><title>" + html.escape(title)
            + f"</title><style>{STYLE}</style></head><body><h1>{html.escape(title)}</h1><p>{html.escape(facts)}</p>"
            + "<h2>Groups</h2>" + _table(head, body) + "<h2>Between groups</h2>"
            + _table(["Quantity", "Value", "Speaks of", "Left out"], between) + "<h2>How it is computed</h2>"
            + "<p>Rates have Wilson intervals at effective rows; areas under the curve DeLong's; all else is drawn "
            "again within groups. What is 0 divided by 0 is undefined, never 0.</p>"
            + _table(["Metric", "Formula", "Meaning"], method) + "</body></html>\n")


def hidden_groups(found: Audit, under: int) -> set[str]:
    """Labels of groups whose cells may not be shown: any count from 1 to under - 1, or fewer rows than `under`; the
    next smallest as well, until what totals give away (everyone less the shown groups) is more than one group and has
    no such count itself."""
    if under <= 0:
        return set()
    few = [g for g in found.groups if g.n < under or _any_small(g.counts, under)]
    rest = sorted((g for g in found.groups if g not in few), key=lambda g: g.n)
    while few and rest and (len(few) == 1 or sum(g.n for g in few) < under or _any_small(_together(few), under)):
        few.append(rest.pop(0))
    return {g.label for g in few}


def _any_small(counts: Mapping[str, float], under: int) -> bool:
    return any(0 < c < under for c in counts.values())


def _together(groups: Iterable[GroupRow]) -> Counter[str]:
    total: Counter[str] = Counter()
    for group in groups:
        total.update(group.counts)  # type: ignore[arg-type]
    return total


def _shown(found: Audit, under: int) -> dict[str, Any]:
    """The audit's object; hidden groups keep only their label, and numbers that speak of them go as well."""
    obj, few = found.to_dict(), hidden_groups(found, under)
    if not few:
        return obj
    blank = {"value": None, "low": None, "high": None, "n": None, "undefined": HIDDEN}
    for group in obj["groups"]:
        if group["label"] in few:
            group |= {"n": None, "n_effective": None, "counts": {k: None for k in group["counts"]},
                      "metrics": {slug: {**v, **blank} for slug, v in group["metrics"].items()}}
    for r in obj["reductions"].values():
        r |= blank  # any number between groups mixes hidden ones in
        r |= {"groups": [], "left_out": [{"label": o["label"], "reason": HIDDEN} if o["label"] in few else o
                                         for o in r["left_out"]]}
    if len(few) == len(obj["groups"]) and (found.n_used < under or _any_small(_together(found.groups), under)):
        obj["overall"] = {slug: {**v, **blank} for slug, v in obj["overall"].items()}
    obj["excluded"] = [{"reason": e["reason"], "n": None if 0 < e["n"] < under else e["n"]} for e in obj["excluded"]]
    if sum(e["n"] is None for e in obj["excluded"]) == 1:
        obj["n"] = None  # with all rows, the one hidden number would be known
    return obj


def _safe(cell: object) -> object:
    if isinstance(cell, str) and cell.lstrip().startswith(FORMULA):
        return "'" + cell
    return "" if cell is None else cell


def _title(slug: str) -> str:
    known = registry.metrics("")
    return known[slug].title if slug in known else slug


def _words(v: dict[str, Any] | None) -> str:
    if v is None:
        return ""
    if v["value"] is None:
        return f"undefined, {v['undefined']}" if v["undefined"] != HIDDEN else HIDDEN
    between = "" if v["low"] is None or v["high"] is None else f" ({v['low']:.3f} to {v['high']:.3f})"
    return f"{v['value']:.3f}{between}" if math.isfinite(v["value"]) else ""


def _table(head: list[str], rows: list[list[Any]]) -> str:
    line = "".join(f"<th>{html.escape(str(c))}</th>" for c in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{line}</tr></thead><tbody>{body}</tbody></table>"
