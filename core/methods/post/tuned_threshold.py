r"""Tuned threshold: train as ERM and move the one common threshold, instead of reweighting the data.

    "f1", "balanced_accuracy": the best common threshold on validation rows, exact over all distinct scores
    "prior":  t = share of positives among the validation rows          "cost":  t = c_fp / (c_fp + c_fn)

`rule` chooses; c_fp: `cost_fp`; c_fn: `cost_fn`. Scores, and so Brier score and AUC, stay as they are. "prior" equals
balanced training in the limit of calibrated scores; "cost" is the Bayes rule for calibrated scores.
Reference: Abdelhamid and Desai, Balancing the scales, 2024 (arXiv 2409.19751); Elkan, The foundations of cost-sensitive
learning, IJCAI 2001; Collell, Prelec, Patil, A simple plug-in bagging ensemble, Neurocomputing 2018 (prior).

>>> import numpy as np
>>> decide(np.array([0.1, 0.4, 0.6]), np.zeros(3, int), np.array([0, 1, 1]), np.ones(3),
...        {"rule": "cost", "cost_fp": 1.0, "cost_fn": 4.0}).thresholds.tolist()
[0.2]
"""

from __future__ import annotations

import numpy as np

from core.fronts import shared_threshold_front
from core.types import Method, Param, Rule

RULES = ("f1", "balanced_accuracy", "prior", "cost")


def decide(scores, attr, y, w, hp) -> Rule:
    """One threshold for all groups."""
    n_attrs = int(attr.max()) + 1 if len(attr) else 1
    if hp["rule"] == "cost":
        total = hp["cost_fp"] + hp["cost_fn"]
        t, why = (hp["cost_fp"] / total if total > 0 else 0.5), "the threshold that the two costs ask for"
    elif hp["rule"] == "prior":
        t, why = float(np.average(y == 1, weights=w)) if len(y) else 0.5, "the share of positives on validation rows"
    else:
        front = shared_threshold_front(scores, y, attr, n_attrs, objective=hp["rule"], weight=w)
        best = int(np.argmax(front.value))
        t = float(front.thresholds[best, 0])
        word = hp["rule"].replace("_", " ").replace("f1", "F1")
        why = f"the best {word}, {front.value[best]:.3g}, on validation rows"
    return Rule(np.full(n_attrs, t), f"{why}: {t:.3g} for everybody")


METHOD = Method(
    name="tuned_threshold",
    title="Tuned threshold",
    family="post",
    summary="Leaves the data and the model alone and moves the common threshold to where it serves rare positives.",
    source="Abdelhamid and Desai 2024 (arXiv 2409.19751); Elkan 2001 (IJCAI)",
    equation="t = argmax objective, prior, or c_fp / (c_fp + c_fn)",
    params=(
        Param("rule", "f1", choices=RULES, stage="decide", title="What sets it",
              help="f1, balanced_accuracy: the best on validation rows; prior: the share of positives; cost: the two "
                   "costs below."),
        Param("cost_fp", 1.0, 0.0, 1e6, stage="decide", title="Cost of a false alarm", help="Used by cost alone."),
        Param("cost_fn", 1.0, 0.0, 1e6, stage="decide", title="Cost of a miss", help="Used by cost alone."),
    ),
    papers=(31, 35),
    needs=frozenset({"binary"}),
    decide=decide,
    known_failures="Prior and cost trust the scores: a model that was trained on resampled data is not calibrated. The "
                   "threshold found on few positives is itself uncertain.",
)  # fmt: skip
