"""The same table through other tools: what Fairlearn, AIF360, Aequitas and OxonFair print, and why numbers differ.

Every number is computed from the counts by the tool's own rule. The tools get labels and predictions as 0 and 1 with
the positive class as 1; what they make of the words or scores themselves stands apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.audit.audit import Audit, audit
from core.audit.entropy import between_theil, entropy_index
from core.audit.numbers import count_table, draw_worlds
from core.audit.peer_given import as_given
from core.audit.peer_rules import (
    AEQUITAS,
    AIF360,
    FAIRLEARN,
    OXONFAIR,
    WEIGHTS,
    Counted,
    Peer,
    PeerRows,
    Quantity,
    aif360,
    fairlearn,
    gap_of,
    least_ratio,
    mean_gap,
    mean_ratio,
    over,
    oxonfair,
    rate_of,
    ratio_of,
    to_overall,
)
from core.audit.sentences import clip
from core.inference import interval
from core.metrics.cells import divide
from core.metrics.reduce import reduce
from core.types import BadInput, Predictions, Value

DRAWS = 1000
LOST = "no interval: small groups lose their cases in draws"
ALIKE = "no interval: all draws agree"
ZERO = "AIF360 divides 0 by 0 on one side."
CAP = 10.0  # Aequitas's number for a division by 0
DISPARITIES = {"fnr": "fnr", "tnr": "tnr", "precision": "ppv", "fdr": "fdr", "npv": "npv", "for": "for"}
RATES = (  # criterion, title, rate, Fairlearn's name, AIF360's names and rate, Aequitas's, OxonFair's
    ("demographic_parity", "Demographic parity", "selection_rate", "demographic_parity",
     ("statistical_parity_difference", "disparate_impact"), "selection_rate", "pprev",
     ("demographic_parity", "disparate_impact", "pos_pred_rate")),
    ("equal_opportunity", "Equal opportunity", "tpr", "equal_opportunity", ("equal_opportunity_difference", ""),
     "tpr", "tpr", ("equal_opportunity", "recall.ratio", "recall")),
    ("predictive_equality", "Predictive equality", "fpr", "false_positive_rate",
     ("false_positive_rate_difference", "false_positive_rate_ratio"), "fpr", "fpr",
     ("false_pos_rate.diff", "false_pos_rate.ratio", "false_pos_rate")),
    ("accuracy_parity", "Accuracy parity", "accuracy", "accuracy_score", ("error_rate_difference", "error_rate_ratio"),
     "error_rate", "", ("accuracy_parity", "accuracy.ratio", "accuracy")),
    ("predictive_parity", "Predictive parity", "ppv", "", ("false_discovery_rate_difference",
     "false_discovery_rate_ratio"), "fdr", "", ("predictive_parity", "precision.ratio", "precision")))  # fmt: skip


@dataclass(frozen=True)
class PeerTable:
    """All quantities of one model. reference: AIF360's privileged and Aequitas's reference group. weights: (tool, what
    it does with them), empty where rows have none."""

    model: str
    reference: str
    quantities: tuple[Quantity, ...]
    weights: tuple[tuple[str, str], ...] = ()

    @property
    def peers(self) -> tuple[Peer, ...]:
        return tuple(peer for quantity in self.quantities for peer in quantity.peers)


def compare_peers(rows: Predictions, found: Audit | None = None, model: int = 0, seed: int = 0) -> PeerTable:
    """Every tool's number for one model.

    Args:
        rows: checked rows with labels, two classes and predictions. found: our audit of this model, made here if not
            given. model: which of rows.models. seed: of the draws behind intervals.

    Returns:
        PeerTable. Raises BadInput where the tools would have nothing to compute from.
    """
    if rows.y is None or len(rows.classes) != 2:
        raise BadInput("Other tools", "no labels" if rows.y is None else f"{len(rows.classes)} classes",
                       "labels of 2 classes", "choose a label and its positive class")
    found = audit(rows, model) if found is None else found  # refuses a model that is not there
    if rows.models[model].pred is None:
        raise BadInput("Other tools", "scores without a threshold", "predictions", "give a threshold")
    rng = np.random.default_rng(seed)
    t = Counted(rows, model, found, count_table(replace(rows, w=None), model), count_table(rows, model),
               draw_worlds(rows, model, DRAWS, rng))
    made = [q for rate in RATES for q in _rate_quantities(t, *rate)]
    made += [*_odds(t), _treatment(t), _use_accuracy(t), *_entropies(t), _disparities(t), *as_given(t)]
    weights = () if rows.w is None else tuple(WEIGHTS.items())
    return PeerTable(rows.models[model].name, t.reference, tuple(made), weights)


def _rate_quantities(t: Counted, slug: str, title: str, rate: str, fair: str, aif: tuple[str, str], aif_rate: str,
                     disparity: str, oxon: tuple[str, str, str]) -> list[Quantity]:
    """Difference and ratio of one rate."""
    gap, ratio = t.ours(f"{rate}.gap"), t.ours(f"{rate}.ratio")
    one, two = PeerRows(t, f"{slug}_difference", (rate,)), PeerRows(t, f"{slug}_ratio", (rate,))
    if fair:
        v = fairlearn(t, rate)
        one.add(FAIRLEARN, f"{fair}_difference", gap_of(v), "largest minus smallest rate", gap.value)
        one.add(FAIRLEARN, f'{fair}_difference(method="to_overall")', to_overall(t, rate),
                "largest distance of a group from everyone", t.ours(f"{rate}.to_overall").value)
        two.add(FAIRLEARN, f"{fair}_ratio", ratio_of(v), "smallest rate divided by the largest", ratio.value)
        two.add(FAIRLEARN, f'{fair}_ratio(method="to_overall")', to_overall(t, rate, True), "smallest ratio of a "
                "group and everyone", ratio.value, "This form compares with everyone together, ours two groups.")
    a, b = aif360(t, aif_rate)
    noun = {"error_rate": "error rate", "fdr": "false discovery rate"}.get(aif_rate, "rate")
    one.add(AIF360, aif[0], a - b, f"{noun} outside the reference group minus that inside", gap.value,
            _signed(t, a - b, noun))
    if aif[1]:
        two.add(AIF360, aif[1], over(a, b), f"{noun} outside the reference group divided by that inside",
                ratio.value, _divided(t, a, b, noun))
    for name in [disparity] + (["ppr"] if disparity == "pprev" else []) if disparity else []:
        _disparity_rows(two, name, rate)
    if disparity == "pprev":
        _least_disparity(two, rate)
    v = oxonfair(t, rate)
    if rate == "fpr":
        one.add(OXONFAIR, "predictive_equality", mean_gap(oxonfair(t, "fnr")), "mean difference of the false "
                "negative rate over all pairs of groups", gap.value,
                "OxonFair compares false negative rates under this name; the literature and ours false positive rates.")
    one.add(OXONFAIR, oxon[0], mean_gap(v), "mean difference over all pairs of groups", gap.value, _pairs(t, "gap"))
    one.add(OXONFAIR, f"{oxon[2]}.max_diff", gap_of(v), "largest minus smallest rate", gap.value)
    zero = "Two rates of 0 count as a ratio of 1 in OxonFair." if (v == 0).sum() > 1 else ""
    two.add(OXONFAIR, oxon[1], mean_ratio(v), "mean ratio over all pairs of groups", ratio.value,
            _pairs(t, "ratio"), zero)
    two.add(OXONFAIR, f"{oxon[2]}.min_ratio", least_ratio(v), "smallest rate divided by the largest", ratio.value,
            special="" if v.max() > 0 else "Every rate is 0: OxonFair prints 0 where 0 / 0 is undefined.")
    return [Quantity(one.quantity, f"{title} difference", gap, "largest minus smallest rate", tuple(one.rows)),
            Quantity(two.quantity, f"{title} ratio", ratio, "smallest rate divided by the largest", tuple(two.rows))]


def _pairs(t: Counted, form: str) -> str:
    ours = "largest" if form == "gap" else "smallest"
    return "" if len(t.names) < 3 else f"OxonFair averages over all pairs of groups; ours is the {ours} of them."


def _sides(t: Counted) -> str:
    return clip(t.names[1 - t.rows.groups.reference]) if len(t.names) == 2 else "everyone else together"


def _signed(t: Counted, value: float, noun: str = "rate") -> tuple[str, ...]:
    if math.isnan(value):
        return (ZERO,)
    other = () if noun == "rate" else (f"AIF360 compares the {noun} here.",)
    return (f"AIF360 subtracts the rate of {clip(t.reference)} from that of {_sides(t)} and keeps the sign; ours is "
            "the largest distance between two groups.", *other)


def _divided(t: Counted, a: float, b: float, noun: str) -> tuple[str, ...]:
    if math.isnan(over(a, b)):
        return (ZERO,)
    other = () if noun == "rate" else (f"AIF360 compares the {noun} here.",)
    return (f"AIF360 divides the rate of {_sides(t)} by that of {clip(t.reference)}, which may exceed 1; ours divides "
            "the smallest by the largest.", *other)


def _disparity_rows(out: PeerRows, name: str, rate: str) -> None:
    """Aequitas: one ratio to the reference group for each group; a / 0 becomes 10."""
    t, at = out.t, out.t.rows.groups.reference
    v, mine = rate_of(t.plain, rate), rate_of(t.mass, rate)
    if name == "ppr":
        v = divide(t.plain[..., 1].sum(-1), t.plain[..., 1].sum())
    for g in range(len(t.names)):
        if g == at and len(t.names) > 1:
            continue
        value, ours = over(v[g], v[at]), float(divide(mine[g], mine[at]))
        capped = f"The rate of {clip(t.reference)} is 0: Aequitas writes 10 where the ratio is infinite."
        share = ("Aequitas compares shares of all who are selected and calls it statistical parity, so that larger "
                 "groups have larger numbers; the ratio of selection rates is its pprev.")
        out.add(AEQUITAS, f"{name}_disparity", CAP if math.isinf(value) else value, "rate of the group divided by that "
                f"of {clip(t.reference)}", ours if len(t.names) > 1 else math.nan,
                capped if math.isinf(value) else share if name == "ppr" else "", group=t.names[g])


def _least_disparity(out: PeerRows, rate: str) -> None:
    """Aequitas with the smallest rate as the reference."""
    v, mine = rate_of(out.t.plain, rate), rate_of(out.t.mass, rate)
    low, at = v.min(), int(v.argmin())
    for g, name in enumerate(out.t.names):
        value, ours = over(v[g], low), float(divide(mine[g], mine.min())) if len(v) > 1 else math.nan
        out.add(AEQUITAS, "pprev_disparity (get_disparity_min_metric)", CAP if math.isinf(value) else value,
                "rate of the group divided by the smallest", ours,
                f"The rate of {clip(out.t.names[at])} is 0: Aequitas writes 10 where the ratio is infinite."
                if math.isinf(value) else "", group=name)


def _disparities(t: Counted) -> Quantity:
    out = PeerRows(t, "disparities", ())
    for name, rate in DISPARITIES.items():
        _disparity_rows(out, name, rate)
    ours = Value(math.nan, math.nan, math.nan, 0.0, "one number for each group, beside each", "")
    return Quantity("disparities", "Other rates against the reference group", ours,
                    "rate of the group divided by that of the reference group", tuple(out.rows))


def _odds(t: Counted) -> list[Quantity]:
    """Equalized odds by each tool's own definition."""
    one = PeerRows(t, "equalized_odds_difference", ("tpr", "fpr"))
    gap, mean = t.ours("equalized_odds.gap"), t.ours("equalized_odds.mean")
    tpr, fpr = fairlearn(t, "tpr"), fairlearn(t, "fpr")
    everyone = math.nan if math.isnan(gap.value) else max(t.ours(f"{s}.to_overall").value for s in ("tpr", "fpr"))
    one.add(FAIRLEARN, "equalized_odds_difference", max(gap_of(tpr), gap_of(fpr)),
            "the larger gap of true and false positive rates", gap.value)
    one.add(FAIRLEARN, 'equalized_odds_difference(agg="mean")', (gap_of(tpr) + gap_of(fpr)) / 2, "mean of both gaps",
            mean.value)
    one.add(FAIRLEARN, 'equalized_odds_difference(method="to_overall")', max(to_overall(t, "tpr"),
            to_overall(t, "fpr")), "largest distance of a group from everyone", everyone)
    (a, b), (c, d) = aif360(t, "tpr"), aif360(t, "fpr")
    true, false = a - b, c - d
    larger = abs(true) if abs(true) > abs(false) else abs(false)  # Python's max passes over a NaN that comes second
    one.add(AIF360, "equalized_odds_difference", larger, "the larger distance of everyone outside the reference group "
            "from it", gap.value, _compared(t), _swallowed(true, false))
    one.add(AIF360, "average_odds_difference", (true + false) / 2, "mean of both differences with their signs",
            mean.value, (*_signed(t, true + false), "" if math.isnan(true + false) else "Opposite signs cancel."))
    one.add(AIF360, "average_abs_odds_difference", (abs(true) + abs(false)) / 2, "mean of both distances", mean.value,
            _compared(t), ZERO if math.isnan(true + false) else "")
    high, low = oxonfair(t, "tpr"), oxonfair(t, "tnr")
    one.add(OXONFAIR, "equalized_odds", (mean_gap(high) + mean_gap(low)) / 2, "mean over all pairs of groups and "
            "over true positive and true negative rates", gap.value,
            ("OxonFair averages both rates; ours is the larger gap.", _pairs(t, "gap")))
    one.add(OXONFAIR, "equalized_odds_max", max(gap_of(high), gap_of(low)), "the larger gap of true positive and true "
            "negative rates", gap.value)
    return [Quantity(one.quantity, "Equalized odds difference", gap, "the larger gap of true and false positive rates",
                     tuple(one.rows)), _odds_ratio(t, ratio_of(tpr), ratio_of(fpr))]


def _odds_ratio(t: Counted, *ratios: float) -> Quantity:
    two, ratio = PeerRows(t, "equalized_odds_ratio", ("tpr", "fpr")), t.ours("equalized_odds.ratio")
    least = ratios[1] if ratios[1] < ratios[0] else ratios[0]  # Python's min passes over a NaN that comes second
    defined = [r for r in ratios if not math.isnan(r)]
    swallowed = "A rate is 0 in every group: Fairlearn passes over its ratio, ours is not computable."
    swallowed = swallowed if len(defined) == 1 else ""
    two.add(FAIRLEARN, "equalized_odds_ratio", least, "the smaller ratio of true and false positive rates", ratio.value,
            swallowed)
    two.add(FAIRLEARN, 'equalized_odds_ratio(agg="mean")', sum(defined) / len(defined) if defined else math.nan,
            "mean of both ratios", ratio.value, swallowed or "This form averages both ratios; ours is the smaller.")
    return Quantity(two.quantity, "Equalized odds ratio", ratio, "the smaller ratio of true and false positive rates",
                    tuple(two.rows))


def _compared(t: Counted) -> str:
    return (f"AIF360 compares {clip(t.reference)} with {_sides(t)}; ours compares every two groups."
            if len(t.names) > 2 else "")


def _swallowed(true: float, false: float) -> str:
    if math.isnan(true) and not math.isnan(false):
        return "One side has no positives: AIF360's maximum passes over the missing half, ours is not computable."
    return ZERO if math.isnan(true + false) else ""


def _value(t: Counted, of: Callable[[np.ndarray], np.ndarray], undefined: str, slugs: Sequence[str] = ()) -> Value:
    """A number over counts with its bootstrap interval. slugs: rates that no group may lose in a world that counts."""
    value, n = float(of(t.mass)), float(t.plain.sum())
    if math.isnan(value):
        return Value(math.nan, math.nan, math.nan, n, undefined, "")
    kept = np.ones(len(t.worlds), bool)
    for slug in slugs:  # a lost group would shrink the gap
        kept &= (np.isfinite(rate_of(t.worlds, slug)) | ~np.isfinite(rate_of(t.mass, slug))).all(-1)
    low, high = (float(end) for end in interval(np.where(kept, of(t.worlds), np.nan), t.rows.spec.level))
    if low == high:
        return Value(value, math.nan, math.nan, n, None, ALIKE)
    made = "bootstrap of persons" if t.rows.person is not None else "bootstrap"
    return Value(value, low, high, n, None, made if math.isfinite(low) else LOST)


def _treatment(t: Counted) -> Quantity:
    out = PeerRows(t, "treatment_equality", ("error_ratio",))
    ours = _value(t, lambda c: reduce(rate_of(c, "error_ratio"), "gap", None),
                  "fewer than 2 groups have false negatives", ("error_ratio",))
    out.add(OXONFAIR, "treatment_equality", mean_gap(oxonfair(t, "error_ratio")), "mean difference over all pairs of "
            "groups of false positives for one false negative", ours.value, _pairs(t, "gap"))
    return Quantity(out.quantity, "Treatment equality", ours, "largest minus smallest number of false positives for "
                    "one false negative", tuple(out.rows))


def _use_accuracy(t: Counted) -> Quantity:
    out = PeerRows(t, "conditional_use_accuracy", ("ppv", "npv"))

    def mean(counts: np.ndarray) -> np.ndarray:
        return (reduce(rate_of(counts, "ppv"), "gap", True) + reduce(rate_of(counts, "npv"), "gap", True)) / 2

    ours = _value(t, mean, "a predictive value is defined in fewer than 2 groups", ("ppv", "npv"))
    (a, b), (c, d) = aif360(t, "ppv"), aif360(t, "for")
    out.add(AIF360, "average_predictive_value_difference", ((a - b) + (c - d)) / 2, "mean of the differences of "
            "precision and of false omission rate", ours.value,
            (*_signed(t, 0.0), "AIF360 adds precision, which is good, to false omission, which is bad."))
    high, low = oxonfair(t, "ppv"), oxonfair(t, "npv")
    out.add(OXONFAIR, "cond_use_accuracy", (mean_gap(high) + mean_gap(low)) / 2, "mean over all pairs of groups and "
            "over positive and negative predictive values", ours.value, _pairs(t, "gap"))
    return Quantity(out.quantity, "Conditional use accuracy", ours, "mean of the gaps of positive and negative "
                    "predictive values", tuple(out.rows))


def _entropies(t: Counted) -> list[Quantity]:
    """Inequality of benefits: AIF360's indices ignore weights."""
    alone = ["AIF360 ignores weights in this index: every row counts once."] if t.rows.w is not None else []

    def variation(counts: np.ndarray) -> np.ndarray:
        return np.sqrt(2 * entropy_index(counts, 2))

    made = []
    for slug, title, of, name, how in (
            ("generalized_entropy", "Generalized entropy index", lambda c: entropy_index(c, 2),
             "generalized_entropy_index", "benefit prediction - label + 1 of every row, alpha 2"),
            ("theil", "Theil index", lambda c: entropy_index(c, 1), "theil_index", "the same benefit, alpha 1"),
            ("coefficient_of_variation", "Coefficient of variation", variation, "coefficient_of_variation",
             "square root of twice the generalized entropy index"),
            ("between_theil", "Theil index between groups", between_theil, "between_group_theil_index",
             "mean benefit of each group in place of the rows' own")):
        out, ours = PeerRows(t, slug, ()), _value(t, of, "everybody is wrongly rejected")
        between = slug == "between_theil"
        groups = [f"AIF360 knows two groups here, {clip(t.reference)} and everyone else; ours takes every group."]
        out.add(AIF360, name, float(of(t.sides(t.plain) if between else t.plain)), how, ours.value,
                (groups if between and len(t.names) > 2 else []) + alone, general=False)
        if between:
            out.add(AIF360, "between_all_groups_theil_index", float(of(t.plain)), how, ours.value, alone, general=False)
        if slug == "generalized_entropy":
            n, got = t.plain.sum(), t.plain.sum(0)
            right = got[0, 0] + got[1, 1]
            value = (n * (right + 4 * got[0, 1]) / max(1.0, right + 2 * got[0, 1]) ** 2 - 1) / 2
            rejected = "Everybody is wrongly rejected: OxonFair divides by at least 1, ours is undefined."
            out.add(OXONFAIR, "gen_entropy", float(value), how, ours.value, rejected if math.isnan(ours.value) else
                    "OxonFair has no weights: every row counts once.", general=False)
        made.append(Quantity(slug, title, ours, how, tuple(out.rows)))
    return made
