from __future__ import annotations

import math
import warnings

import fairlearn.metrics as fl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.audit.audit import audit
from core.audit.peers import compare_peers
from core.audit.prepare import make_predictions
from core.types import AuditSpec, BadInput


def rows_of(y, p, g, w=None, **spec):
    table = pd.DataFrame({"y": list(y), "p": list(p), "g": list(g)})
    if w is not None:
        table["w"] = w
    return make_predictions(table, AuditSpec("y", spec.pop("positive", "1"), ("p",), attributes=("g",), min_n=0,
                                             weight="w" if w is not None else "", **spec))


def compared(y, p, g, w=None, **spec):
    return compare_peers(rows_of(y, p, g, w, **spec))


def numbers(table):
    return {(p.tool, p.name, p.group): p for p in table.peers}


def golden():
    return compared("1100" * 3, "111010000000", "aaaabbbbcccc")


GOLDEN = {
    ("Fairlearn", "demographic_parity_difference"): 0.75,
    ("Fairlearn", 'demographic_parity_difference(method="to_overall")'): 0.4167,
    ("Fairlearn", "demographic_parity_ratio"): 0.0,
    ("Fairlearn", "equal_opportunity_difference"): 1.0,
    ("Fairlearn", "equalized_odds_difference"): 1.0,
    ("Fairlearn", 'equalized_odds_difference(agg="mean")'): 0.75,
    ("Fairlearn", 'equalized_odds_difference(method="to_overall")'): 0.5,
    ("OxonFair", "demographic_parity"): 0.5, ("OxonFair", "disparate_impact"): 0.1111,
    ("OxonFair", "pos_pred_rate.min_ratio"): 0.0, ("OxonFair", "equal_opportunity"): 0.6667,
    ("OxonFair", "equalized_odds"): 0.5, ("OxonFair", "equalized_odds_max"): 1.0,
    ("OxonFair", "treatment_equality"): 0.6667, ("OxonFair", "predictive_parity"): 0.6667,
    ("OxonFair", "cond_use_accuracy"): 0.5,
    ("AIF360", "statistical_parity_difference"): -0.625, ("AIF360", "disparate_impact"): 0.1667,
    ("AIF360", "equal_opportunity_difference"): -0.75, ("AIF360", "equalized_odds_difference"): 0.75,
    ("AIF360", "average_odds_difference"): -0.625, ("AIF360", "average_abs_odds_difference"): 0.625,
    ("AIF360", "theil_index"): 0.3210, ("AIF360", "generalized_entropy_index"): 0.22,
    ("AIF360", "coefficient_of_variation"): 0.6633, ("AIF360", "between_group_theil_index"): 0.0589,
}  # fmt: skip
GOLDEN_DISPARITIES = {("pprev_disparity", "b"): 0.3333, ("pprev_disparity", "c"): 0.0, ("tpr_disparity", "b"): 0.5,
                      ("tpr_disparity", "c"): 0.0, ("fpr_disparity", "b"): 0.0, ("fpr_disparity", "c"): 0.0}


@pytest.mark.parametrize(("tool", "name"), GOLDEN)
def test_the_golden_table_gives_every_tools_own_number(tool, name):
    assert numbers(golden())[tool, name, ""].value == pytest.approx(GOLDEN[tool, name], abs=5e-5)


def test_the_golden_table_gives_aequitas_disparities_and_its_ten_for_infinity():
    found = numbers(golden())
    assert golden().reference == "a"
    for (name, group), value in GOLDEN_DISPARITIES.items():
        assert found["Aequitas", name, group].value == pytest.approx(value, abs=5e-5)
    least = [found["Aequitas", "pprev_disparity (get_disparity_min_metric)", g] for g in "abc"]
    assert [p.value for p in least[:2]] == [10.0, 10.0] and math.isnan(least[2].value)
    assert all(math.isnan(p.ours) for p in least) and least[0].differs and not least[2].differs


def test_ours_stands_beside_every_number_with_a_reason_where_it_differs():
    table = golden()
    ours = {q.slug: q.ours for q in table.quantities}
    assert ours["demographic_parity_difference"].value == 0.75 and ours["equalized_odds_difference"].value == 1.0
    assert ours["treatment_equality"].how.startswith("no interval")
    assert ours["coefficient_of_variation"].value == pytest.approx(math.sqrt(2 * ours["generalized_entropy"].value))
    assert all(bool(p.why) == p.differs for p in table.peers)
    found = numbers(table)
    assert "averages over all pairs" in found["OxonFair", "demographic_parity", ""].why
    assert "keeps the sign" in found["AIF360", "statistical_parity_difference", ""].why
    assert "false negative rates" in found["OxonFair", "predictive_equality", ""].why
    assert not found["OxonFair", "pos_pred_rate.max_diff", ""].differs


def test_a_group_without_positives_has_a_rate_of_zero_in_fairlearn_and_oxonfair():
    table = compared("11000000", "10000100", "aaaabbbb")
    found = numbers(table)
    assert found["Fairlearn", "equalized_odds_difference", ""].value == 0.5
    assert found["Fairlearn", 'equalized_odds_difference(agg="mean")', ""].value == 0.375
    assert found["OxonFair", "equalized_odds", ""].value == 0.375
    assert found["OxonFair", "equalized_odds_max", ""].value == 0.5
    swallowed = found["AIF360", "equalized_odds_difference", ""]
    assert swallowed.value == 0.25 and "passes over the missing half" in swallowed.why
    assert math.isnan(found["Aequitas", "tpr_disparity", "b"].value)
    assert found["Fairlearn", "equal_opportunity_difference", ""].value == 0.5
    why = found["Fairlearn", "equalized_odds_difference", ""].why
    assert why == "b: 0 positives; Fairlearn takes 0 for the rate, ours calls it undefined."
    ours = {q.slug: q.ours for q in table.quantities}
    assert "not computable" in ours["equalized_odds_difference"].undefined
    assert ours["predictive_equality_difference"].value == 0.25


def test_nobody_selected_has_no_ratio_but_oxonfair_prints_one_and_zero():
    found = numbers(compared("1100" * 2, "00000000", "aaaabbbb"))
    assert found["OxonFair", "disparate_impact", ""].value == 1.0
    assert found["OxonFair", "pos_pred_rate.min_ratio", ""].value == 0.0
    assert found["OxonFair", "disparate_impact", ""].differs and found["OxonFair", "disparate_impact", ""].why
    assert math.isnan(found["Fairlearn", "demographic_parity_ratio", ""].value)
    assert not found["Fairlearn", "demographic_parity_ratio", ""].differs
    assert found["Fairlearn", "demographic_parity_difference", ""].value == 0


def test_one_group_looks_perfect_in_fairlearn():
    found = numbers(compared("1100", "1000", "aaaa"))
    assert found["Fairlearn", "demographic_parity_difference", ""].value == 0
    assert found["Fairlearn", "demographic_parity_ratio", ""].value == 1
    assert math.isnan(found["OxonFair", "disparate_impact", ""].value)
    assert math.isnan(found["AIF360", "statistical_parity_difference", ""].value)
    assert "one group" in found["Fairlearn", "demographic_parity_ratio", ""].why


def test_weights_are_honoured_or_ignored_as_each_tool_does():
    y, p, g, w = "11001100", "10001110", "aaaabbbb", [1, 1, 1, 5, 1, 1, 1, 1]
    weighted, plain = compared(y, p, g, w), compared(y, p, g)
    a, b = numbers(weighted), numbers(plain)
    assert plain.weights == () and dict(weighted.weights)["Aequitas"].startswith("has none")
    assert a["Fairlearn", "demographic_parity_difference", ""].value == pytest.approx(0.75 - 1 / 8)
    assert a["AIF360", "statistical_parity_difference", ""].value in (pytest.approx(0.625), pytest.approx(-0.625))
    for key in (("OxonFair", "demographic_parity", ""), ("AIF360", "theil_index", ""),
                ("OxonFair", "gen_entropy", ""), ("Aequitas", "pprev_disparity", a_group(weighted))):
        assert a[key].value == b[key].value and a[key].differs and "every row counts once" in a[key].why


def a_group(table):
    return next(p.group for p in table.peers if p.name == "pprev_disparity")


def test_two_groups_entropy_between_groups_agrees_and_three_do_not():
    two = numbers(compared("11001100", "10001110", "aaaabbbb"))["AIF360", "between_group_theil_index", ""]
    three = numbers(golden())["AIF360", "between_group_theil_index", ""]
    assert not two.differs and three.differs and "knows two groups" in three.why
    assert not numbers(golden())["AIF360", "between_all_groups_theil_index", ""].differs


def test_everybody_wrongly_rejected_has_no_entropy_but_oxonfair_prints_a_negative_one():
    found = numbers(compared("1111", "0000", "aabb"))
    assert found["OxonFair", "gen_entropy", ""].value == -0.5 and found["OxonFair", "gen_entropy", ""].differs
    assert math.isnan(found["AIF360", "generalized_entropy_index", ""].value)


def test_what_no_tool_could_measure_is_refused():
    table = pd.DataFrame({"y": list("0110"), "s": [0.1, 0.8, 0.3, 0.2], "g": list("aabb")})
    rows = make_predictions(table, AuditSpec("y", "1", scores=("s",), attributes=("g",)))
    with pytest.raises(BadInput, match="threshold"):
        compare_peers(rows)
    with pytest.raises(BadInput, match="labels"):
        compare_peers(make_predictions(table, AuditSpec("", "1", ("y",), attributes=("g",))))


TABLES = st.integers(2, 40).flatmap(lambda n: st.tuples(
    *[st.lists(st.integers(0, 1), min_size=n, max_size=n)] * 2,
    st.lists(st.sampled_from("abcd"), min_size=n, max_size=n),
    st.none() | st.lists(st.sampled_from([0.5, 1.0, 2.0, 7.0]), min_size=n, max_size=n)))


RATES = {"demographic_parity": "selection_rate", "equal_opportunity": "true_positive_rate",
         "false_positive_rate": "false_positive_rate"}


@settings(max_examples=25)
@given(TABLES)
def test_any_table_has_fairlearns_numbers(table):
    y, p, g, w = two_labels(table)
    found = quickly(y, p, g, w)
    extra = {"sensitive_features": g, "sample_weight": w}
    frame = fl.MetricFrame(metrics={name: getattr(fl, rate) for name, rate in RATES.items()}, y_true=y, y_pred=p,
                           sensitive_features=g, sample_params={name: {"sample_weight": w} for name in RATES})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method, tail in (("between_groups", ""), ("to_overall", '(method="to_overall")')):
            for name in RATES:
                same(found["Fairlearn", f"{name}_difference{tail}", ""], frame.difference(method=method)[name])
                same(found["Fairlearn", f"{name}_ratio{tail}", ""], frame.ratio(method=method)[name])
        for form, agg in (("difference", "worst_case"), ("difference", "mean"), ("ratio", "worst_case"),
                          ("ratio", "mean")):
            name = f"equalized_odds_{form}" + ('(agg="mean")' if agg == "mean" else "")
            same(found["Fairlearn", name, ""], getattr(fl, f"equalized_odds_{form}")(y, p, agg=agg, **extra))
    assert all(bool(x.why) == x.differs for x in found.values())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity", "equalized_odds", "false_positive_rate",
                                  "accuracy_score"])
def test_every_named_function_of_fairlearn_is_met(name, seed):
    rng = np.random.default_rng(seed)
    y, p, g, w = rng.integers(0, 2, 30), rng.integers(0, 2, 30), rng.choice(list("abc"), 30), rng.integers(1, 5, 30)
    found = quickly(y, p, g, w)
    for form in ("difference", "ratio"):
        measure = getattr(fl, f"{name}_{form}")
        same(found["Fairlearn", f"{name}_{form}", ""], measure(y, p, sensitive_features=g, sample_weight=w))
    over = {"sensitive_features": g, "sample_weight": w, "method": "to_overall"}
    same(found["Fairlearn", f'{name}_difference(method="to_overall")', ""],
         getattr(fl, f"{name}_difference")(y, p, **over))


def quickly(y, p, g, w=None):
    rows = rows_of(map(str, y), map(str, p), g, w)
    return numbers(compare_peers(rows, audit(rows, draws=20)))


def two_labels(table):
    y, *rest = table
    return [1 - y[0], *y[1:]] if len({*y}) < 2 else y, *rest


def same(peer, value):
    assert peer.value == pytest.approx(value, nan_ok=True, abs=1e-12), peer.name


@settings(max_examples=40)
@given(TABLES)
def test_identities_hold_on_any_table(table):
    """Two groups have one pair, and OxonFair's largest gap is Fairlearn's where nobody is weighted."""
    y, p, g, _ = two_labels(table)
    found = quickly(y, p, g)
    assert not [x for x in found.values() if math.isnan(x.ours) and "ours is the largest" in x.why]
    assert not [x for x in found.values() if "another one" in x.why], "a reason is known for every difference"
    groups = len(set(g))
    for oxon, fair in (("pos_pred_rate.max_diff", "demographic_parity_difference"),
                       ("recall.max_diff", "equal_opportunity_difference")):
        same(found["OxonFair", oxon, ""], found["Fairlearn", fair, ""].value)
    if groups == 2:
        same(found["OxonFair", "demographic_parity", ""], found["OxonFair", "pos_pred_rate.max_diff", ""].value)
        assert abs(found["AIF360", "statistical_parity_difference", ""].value) == pytest.approx(
            found["Fairlearn", "demographic_parity_difference", ""].value)
