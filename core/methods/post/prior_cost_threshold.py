r"""Prior and cost threshold: the best common threshold for another share of positives and other costs.

    odds(t) = (c_fp / c_fn) * odds(pi) / odds(pi'),   odds(p) = p / (1 - p),   positive where score >= t

c_fp: `cost_fp`; c_fn: `cost_fn`; pi: the share of positives that the scores speak for, that of the validation rows
(data weights counted; splits keep the shares of the classes); pi': the share where decisions are made, by
`population`: "here" is pi itself, "balanced" one half (the score divided by the prior of its class), "given" is
`target`. It is the Bayes rule for calibrated scores where classes alone became rarer or commoner and rows within a
class stayed alike. Scores, and so Brier score and AUC, stay as they are.
"here" is the cost rule of the tuned threshold and "balanced" with equal costs its prior rule; this method joins the two
and takes any population. Departure: two classes only, where the paper divides the scores of all classes.
Reference: Buda, Maki, Mazurowski, A systematic study of the class imbalance problem in convolutional neural networks,
2017 (arXiv 1710.05381); Elkan, The foundations of cost-sensitive learning, IJCAI 2001 (theorems 1 and 2); Abdelhamid
and Desai, Balancing the scales, 2024 (arXiv 2409.19751).

>>> round(cut(0.1, 0.5, 1.0, 1.0), 6), round(cut(0.2, 0.2, 1.0, 4.0), 6)
(0.1, 0.2)
"""

from __future__ import annotations

import numpy as np

from core.types import Method, Param, Rule


def moved(p: np.ndarray, prior: float, target: float) -> np.ndarray:
    """(N,) probabilities that speak for a share of positives `prior` -> (N,) those for a share `target`."""
    up, down = p * target * (1 - prior), (1 - p) * (1 - target) * prior
    return up / (up + down)


def cut(prior: float, target: float, cost_fp: float, cost_fn: float) -> float:
    """Threshold on scores that speak for `prior` (inside (0, 1)), least expected cost at a share `target`.

    Without any cost every threshold is as good: 0.5. Errors of one kind that cost nothing give 0 or more than 1."""
    if cost_fp + cost_fn == 0:
        return 0.5
    for_alarm, for_miss = cost_fp * (1 - target) * prior, cost_fn * target * (1 - prior)
    if for_miss == 0:
        return float(np.nextafter(1.0, 2.0))  # a miss costs nothing: nobody is positive, whatever the score
    return for_alarm / (for_alarm + for_miss)


def decide(scores, attr, y, w, hp) -> Rule:
    """One threshold for all groups."""
    n_attrs = int(attr.max()) + 1 if len(attr) else 1
    prior = float(np.average(y == 1, weights=w)) if len(y) else np.nan
    if not 0 < prior < 1:
        return Rule(np.full(n_attrs, 0.5), "validation rows of one class have no odds: the threshold stays at 0.5")
    target = {"here": prior, "balanced": 0.5}.get(hp["population"], hp["target"])
    t = cut(prior, target, hp["cost_fp"], hp["cost_fn"])
    why = (f"from {prior:.3g} positives on validation rows to {target:.3g}, a miss costing {hp['cost_fn']:g} and a "
           f"false alarm {hp['cost_fp']:g}: {t:.3g} for everybody")
    return Rule(np.full(n_attrs, t), why)


METHOD = Method(
    name="prior_cost_threshold",
    title="Prior and cost threshold",
    family="post",
    summary="Leaves the model alone and computes the threshold for other costs and another share of positives.",
    source="Buda, Maki, Mazurowski 2017 (arXiv 1710.05381); Elkan 2001 (IJCAI)",
    equation="odds(t) = (c_fp / c_fn) · odds(π) / odds(π′)",
    params=(
        Param("population", "balanced", choices=("here", "balanced", "given"), stage="decide",
              title="Decisions are for",
              help="here: the share of positives of these data; balanced: half of the rows; given: the share below."),
        Param("target", 0.1, 1e-4, 0.9999, log=True, stage="decide", symbol="π′", title="Share of positives there",
              help="Used by given alone. A smaller share than in the data raises the threshold."),
        Param("cost_fp", 1.0, 0.0, 1e6, stage="decide", title="Cost of a false alarm",
              help="Only its ratio to the cost of a miss counts. More raises the threshold."),
        Param("cost_fn", 1.0, 0.0, 1e6, stage="decide", title="Cost of a miss",
              help="Only its ratio to the cost of a false alarm counts. More lowers the threshold."),
    ),
    papers=(31, 35),
    needs=frozenset({"binary"}),
    limits=(({"population": "balanced"}, "tuned_threshold", {"rule": "prior"}),
            ({"population": "here", "cost_fn": 4.0}, "tuned_threshold", {"rule": "cost", "cost_fn": 4.0})),
    decide=decide,
    known_failures="It trusts the scores: they must be calibrated for the data at hand, so not from a model trained on "
                   "resampled rows. Where positives themselves look different elsewhere, no threshold mends it.",
)  # fmt: skip
