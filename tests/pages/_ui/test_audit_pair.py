from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd

from core.audit.prepare import make_predictions
from core.types import AuditSpec, Value
from pages._ui.audit_pair import chance, compared, default_groups, points, share, signed


def value(v, low=float("nan"), high=float("nan"), undefined=None):
    return Value(v, low, high, 10, undefined, "none: too few")


def rows(**spec):
    frame = pd.DataFrame({"p": list("1" * 20 + "0" * 20 + "10" * 10), "g": list("a" * 20 + "b" * 20 + "c" * 20)})
    return make_predictions(frame, AuditSpec("", "1", ("p",), attributes=("g",), **spec))


def test_points_have_a_sign_and_their_interval_or_the_reason():
    assert points(value(-0.142, -0.17, -0.113)) == "−14.2 (−17.0 to −11.3)"
    assert points(value(0.142, 0.1, 0.2), scale=1.0) == "+0.142 (+0.100 to +0.200)"
    assert points(value(float("nan"), undefined="0 pairs")) == "undefined, 0 pairs"
    assert points(value(0.1)) == "+10.0 (no interval: none: too few)"


def test_shares_may_pass_a_hundred_and_have_no_negative_zero():
    assert share(value(1.25, 0.98, 1.53)) == "125 % (98 to 153)"
    assert share(value(-0.001, -0.2, 0.004)) == "0 % (−20 to 0)"
    assert share(value(float("nan"), undefined="the raw difference may be zero")).endswith("may be zero")


def test_zero_has_no_sign():
    assert [signed(x) for x in (0.04, -0.04, 1, -1)] == ["0.0", "0.0", "+1.0", "−1.0"]


def test_small_chances_are_not_called_zero():
    assert [chance(p) for p in (0.0, 0.0421, 0.7, np.nan)] == ["p < 0.001", "p = 0.042", "p = 0.70", "undefined"]


def test_the_groups_offered_first_have_the_largest_gap():
    found = rows()
    low, high, among = default_groups(found, 0, "selection")
    assert (found.groups.labels[low], found.groups.labels[high], among) == ("b", "a", 3)
    assert default_groups(rows(min_n=100), 0, "selection") == (1, 0, 1)


def test_a_difference_in_one_sentence():
    subject = SimpleNamespace(rows=rows())
    said = compared(subject, 0, 1, value(0.1, 0.0, 0.2), "predicted 1", "those who are truly 1")
    assert said == "Of those who are truly 1, **a** are predicted 1 more often than **b**: +10.0 points (0.0 to +20.0)."
    assert compared(subject, 0, 1, value(-0.1, -0.2, 0.0), "score", "everyone", scale=1.0) == (
        "The score of **a** is on average lower than that of **b**: −0.100 (−0.200 to 0.000).")
