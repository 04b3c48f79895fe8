from __future__ import annotations

import pytest

from core.audit.audit import Audit, Reduction
from core.audit.criteria import judge
from core.types import BadInput, Value

NAN = float("nan")


def found(value):
    return Audit("m", 9, 9, (), "1", ("g",), {}, (), {"tpr.gap": Reduction(value)})


@pytest.mark.parametrize(("low", "high", "verdict"), [
    (0.0, 0.05, "within"), (0.2, 0.4, "beyond"), (0.05, 0.3, "cannot tell"), (NAN, NAN, "cannot tell")])
def test_verdict_needs_the_whole_interval(low, high, verdict):
    assert judge(found(Value(0.1, low, high, 9)), {"tpr.gap": 0.1})[0].verdict == verdict


def test_undefined_is_not_computable_and_unknown_refused():
    one = judge(found(Value(NAN, NAN, NAN, 0, "one group")), {"tpr.gap": 0.1})[0]
    assert (one.verdict, one.reason) == ("not computable", "one group")
    with pytest.raises(BadInput):
        judge(found(Value(0.1, 0, 1, 9)), {"other.gap": 0.1})
