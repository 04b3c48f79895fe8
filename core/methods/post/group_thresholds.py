r"""Group thresholds: train as ERM, then give every group its own threshold, chosen exactly on validation rows.

    max over thresholds t_a of  objective   subject to  gap(t) <= bound,   decide positive where score >= t_a

bound: `gap_bound`; gap: `criterion`; objective: `objective`. All reachable rates (to 1/1000) are searched at once,
so the rule is the best one on the validation rows; settings that differ in the bound share one trained model.
Reference: Hardt, Price, Srebro, Equality of opportunity in supervised learning, NeurIPS 2016; that such a front is
hard to beat: Cruz and Hardt, Unprocessing seven years of algorithmic fairness, ICLR 2024.

>>> [p.stage for p in METHOD.params]
['decide', 'decide', 'decide']
"""

from __future__ import annotations

from core.fronts import best_rule
from core.types import Method, Param, Rule

CRITERIA = ("demographic_parity", "equal_opportunity", "predictive_equality", "equalized_odds", "accuracy_parity")


def decide(scores, attr, y, w, hp) -> Rule:
    """The best rule within the bound; its note says what was reached where none exists."""
    n_attrs = int(attr.max()) + 1 if len(attr) else 1
    return best_rule(
        scores, y, attr, n_attrs, hp["gap_bound"], gap=hp["criterion"], objective=hp["objective"], weight=w
    )


METHOD = Method(
    name="group_thresholds",
    title="Group thresholds (exact)",
    family="post",
    summary="Leaves the trained model as it is and moves the decision threshold of every group.",
    source="Hardt, Price, Srebro 2016 (NeurIPS); Cruz and Hardt 2024 (ICLR)",
    equation="max objective s.t. gap ≤ bound over thresholds t_a",
    params=(
        Param("gap_bound", 0.05, 0.0, 1.0, stage="decide", symbol="ε", title="Largest gap allowed",
              help="Difference between groups that the rule may have on the validation rows. 0 asks for equality, "
                   "1 for none."),
        Param("criterion", "demographic_parity", choices=CRITERIA, stage="decide", title="Which gap",
              help="demographic_parity: share selected; equal_opportunity: true positive rate; predictive_equality: "
                   "false positive rate; equalized_odds: the larger of these two; accuracy_parity: accuracy."),
        Param("objective", "accuracy", choices=("accuracy", "balanced_accuracy"), stage="decide", title="What to keep",
              help="What should stay as high as possible within the bound."),
    ),
    needs=frozenset({"attr_val", "attr_test", "binary"}),
    decide=decide,
    known_failures="It needs to know the group of every person it decides about, which may be unlawful. The gap holds "
                   "on the validation rows; on test rows of small groups it can be much larger.",
)  # fmt: skip
