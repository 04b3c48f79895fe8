"""What other tools make of words, scores, missing values and small groups when they get the columns as they are."""

from __future__ import annotations

import math

import numpy as np

from core.audit.peer_rules import (
    AEQUITAS,
    AIF360,
    FAIRLEARN,
    OXONFAIR,
    Counted,
    PeerRows,
    Quantity,
    gap_of,
    mean_gap,
)
from core.audit.words import MISSING
from core.metrics.cells import divide
from core.types import Value

DRAWS = 1000


def as_given(t: Counted) -> list[Quantity]:
    """What the tools make of words, scores and missing values when they get the columns as they are."""
    return [*_words(t), *_scores(t), *_missing(t), *_redrawn(t)]


def _words(t: Counted) -> list[Quantity]:
    words = [word.casefold() for word in t.rows.classes]
    if words[1] in ("1", "true") and words[0] in ("0", "-1", "false"):
        return []
    out, ours = PeerRows(t, "words_as_given", ()), t.ours("selection_rate.gap")
    one = [i for i, word in enumerate(words) if word in ("1", "true")]
    selected = divide(t.mass[..., one].sum((-2, -1)), t.mass.sum((-2, -1)))
    counted = f"counts predictions that equal 1, which is {t.rows.classes[one[0]]} here" if one else \
        "counts predictions that equal 1, and no word does"
    out.add(FAIRLEARN, "demographic_parity_difference", gap_of(selected), counted, ours.value,
            f"Without a warning Fairlearn {counted}; its other rates refuse such labels.", general=False)
    if not one and not all(_number(word) for word in words):
        for tool, name in ((AIF360, "statistical_parity_difference"), (AEQUITAS, "pprev_disparity"),
                           (OXONFAIR, "demographic_parity")):
            out.add(tool, name, math.nan, "needs numbers", ours.value, f"{tool} refuses words.",
                    refuses="refuses words", general=False)
    return [Quantity(out.quantity, "Demographic parity of words as they are", ours,
                     "the positive class is named, so words may stay words", tuple(out.rows))]


def _scores(t: Counted) -> list[Quantity]:
    score = t.rows.models[t.model].score
    if score is None or t.rows.spec.score_kind != "probability":
        return []
    out, ours, code = PeerRows(t, "scores_as_given", ()), t.ours("selection_rate.gap"), t.rows.groups.code
    sure, w = score == 1, np.ones(t.rows.n) if t.rows.w is None else t.rows.w
    weighted = np.bincount(code, w * sure) / np.bincount(code, w)
    plain = np.bincount(code, sure) / np.bincount(code)
    how = "counts scores of exactly 1"
    out.add(FAIRLEARN, "demographic_parity_difference", gap_of(weighted), how, ours.value,
            f"Without a warning Fairlearn {how} as selected; ours applies the threshold.", general=False)
    refused = f"{AIF360} refuses scores in place of labels."
    out.add(AIF360, "statistical_parity_difference", math.nan, "needs two values", ours.value, refused,
            refuses="refuses scores", general=False)
    if len(np.unique(score)) > 2:
        out.add(AEQUITAS, "pprev_disparity", math.nan, "needs two values", ours.value,
                "Aequitas asks for a threshold, as ours does.", refuses="asks for a threshold", general=False)
    else:
        low = gap_of(plain)
        out.add(AEQUITAS, "pprev (largest minus smallest)", low, "casts two-valued scores to whole numbers", ours.value,
                "Aequitas takes two different scores for classes and cuts off their decimals.", general=False)
    out.add(OXONFAIR, "demographic_parity", mean_gap(plain), "casts scores to whole numbers", ours.value,
            "OxonFair cuts off the decimals of scores; ours applies the threshold.", general=False)
    return [Quantity(out.quantity, "Demographic parity of scores as they are", ours, "at the threshold that was given",
                     tuple(out.rows))]


def _missing(t: Counted) -> list[Quantity]:
    """Rows that enter groups where an attribute is missing."""
    rows = t.rows
    bucket = [g for g, part in enumerate(rows.groups.parts) if MISSING in part.values()]
    inside = int(np.isin(rows.groups.code, bucket).sum())
    left = sum(n for reason, n in rows.excluded if reason in {f"missing {a}" for a in rows.spec.attributes})
    if not inside + left:
        return []
    out, total = PeerRows(t, "rows_in_groups", ()), float(rows.n)
    for tool, said in ((FAIRLEARN, "raises an error since 0.15"), (AIF360, "raises an error"),
                       (OXONFAIR, "raises an error where the values cannot be sorted")):
        out.add(tool, "missing attribute values", math.nan, "needs complete attributes", total, f"{tool} {said}; until "
                "0.14 it dropped them from groups and kept them in the overall rate." if tool == FAIRLEARN else
                f"{tool} {said}.", refuses="refuses", general=False)
    out.add(AEQUITAS, "group_size, summed", total - inside, f"drops {inside + left:,} rows from the groups and writes "
            f"{rows.n + left:,} as total_entities", total, "Aequitas drops rows without a value, and still counts them "
            "in total_entities.", general=False)
    how = (f'{inside:,} of them in a group "missing"' if inside else "") + (f"{left:,} left out, from everyone too"
                                                                           if left else "")
    return [Quantity(out.quantity, "Rows in groups", Value(total, math.nan, math.nan, total, None, "a count"), how,
                     tuple(out.rows))]


def _redrawn(t: Counted) -> list[Quantity]:
    """Fairlearn's bootstrap draws all rows again: a small group may vanish, and a rate of 0 or 1 has no width."""
    ours = t.ours("selection_rate.gap")
    if t.rows.w is not None or len(t.names) < 2:
        return []
    cells = t.plain.sum(-2)
    drawn = np.random.default_rng(0).multinomial(int(cells.sum()), cells.ravel() / cells.sum(), size=DRAWS)
    drawn = drawn.reshape(DRAWS, *cells.shape)
    share = divide(drawn[..., 1], drawn.sum(-1))
    gaps = np.fmax.reduce(share, -1) - np.fmin.reduce(share, -1)
    level, lost = t.rows.spec.level, float(np.isnan(share).any(-1).mean())
    ends = (1 - level) / 2, (1 + level) / 2
    out = PeerRows(t, "interval", ())
    why = (f"Fairlearn draws all rows again: in {100 * lost:.0f} % of the draws a group vanishes and the gap counts "
           "without it." if lost > 0.005 else "Fairlearn takes percentiles of redrawn tables, which are too narrow or "
           "shifted in small groups; ours " + ("draws persons." if t.rows.person is not None else
                                             "is in closed form."))
    for word, q, end in (("lower", ends[0], ours.low), ("upper", ends[1], ours.high)):
        out.add(FAIRLEARN, f"MetricFrame.difference_ci, {word} end", float(np.nanquantile(gaps, q)),
                "percentile of all rows drawn again", end, why, general=False)
    low, high = np.nanquantile(share, ends, axis=0)
    for g in np.flatnonzero(low == high)[:20]:
        value = t.found.groups[g].metrics["selection_rate"]
        for word, end, mine in (("lower", low[g], value.low), ("upper", high[g], value.high)):
            out.add(FAIRLEARN, f"MetricFrame.by_group_ci, {word} end", float(end), "percentile of all rows drawn again",
                    mine, "Redrawn rows that are all alike have an interval without width; ours is by "
                    f"{value.how}.",
                    group=t.names[g], general=False)
    return [Quantity(out.quantity, "Interval of the selection gap", ours, ours.how, tuple(out.rows))]


def _number(word: str) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False
