from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score

from core.methods.post.tuned_threshold import METHOD, decide

HP = {"rule": "f1", "cost_fp": 1.0, "cost_fn": 1.0}


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.1).astype(int)
    return np.clip(rng.normal(0.2 + 0.25 * y, 0.15), 0, 1).round(2), rng.integers(0, 3, n), y, np.ones(n)


@pytest.mark.parametrize(("rule", "score"), [("f1", f1_score), ("balanced_accuracy", balanced_accuracy_score)])
def test_no_other_common_threshold_is_better_on_these_rows(rule, score):
    s, attr, y, w = rows()
    t = decide(s, attr, y, w, {**HP, "rule": rule}).thresholds
    assert len(set(t.tolist())) == 1 and len(t) == 3
    best = max(score(y, (s >= cut).astype(int)) for cut in np.unique(s))
    assert score(y, (s >= t[0]).astype(int)) == pytest.approx(best)


def test_prior_is_the_weighted_share_of_positives_and_cost_the_bayes_rule():
    s, attr, y, w = rows()
    w = np.where(y == 1, 3.0, 1.0)
    share = 3 * y.sum() / w.sum()
    assert decide(s, attr, y, w, {**HP, "rule": "prior"}).thresholds[0] == pytest.approx(share)
    found = decide(s, attr, y, w, {"rule": "cost", "cost_fp": 1.0, "cost_fn": 9.0})
    assert found.thresholds.tolist() == pytest.approx([0.1] * 3) and "0.1 for everybody" in found.note
    assert decide(s, attr, y, w, {"rule": "cost", "cost_fp": 0.0, "cost_fn": 0.0}).thresholds[0] == 0.5


def test_it_changes_decisions_alone():
    assert METHOD.loss is None and METHOD.prepare is None and METHOD.papers == (31, 35)
