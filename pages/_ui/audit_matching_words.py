"""What pairs of like people say, in sentences, and how it is computed."""

from __future__ import annotations

import math

from core.audit.matching import Matching
from pages._ui import audit_pair
from pages._ui.audit_held import Subject
from pages._ui.audit_pair import chance, points
from pages._ui.text import count, percent, plain

FEW, APART = 0.5, 0.1
CAVEAT = ("Pairs are alike in what was recorded, and in that alone. Reading the difference as what would have happened "
          "to the same person in the other group assumes that nothing else differs within pairs, and that nothing "
          "matched on is itself the work of the group.")
HOW = """
- **Propensity score**: a logistic regression (slight ridge penalty) of the group on the features; numbers as they are,
  missing ones beside a column that says so, words as columns with rare ones merged.
- **Pairs**: every person of the first group proposes to the nearest free person of the second whose logit is within the
  caliper, and whose equal features are equal; each keeps the nearest who proposed. With the second way the partner is
  the nearest in Mahalanobis distance among the 32 nearest by the score. Above 20,000 rows a random sample is paired.
- **Balance**: difference of the means in standard deviations of both groups before matching.
- **Difference within pairs**: mean of first − second. Interval of Bonett and Price 2012 and exact McNemar test for
  decisions, paired t for scores; where partners are used again, rows have weights, or people have several rows,
  linearised with shared people counted together. That the score is estimated is not counted.
- **Treated differently**: the share of pairs with different outcomes, which is the counterfactual unfairness of the
  paper when pairs are taken as counterfactuals. Like people of one group differ too: the same share among pairs within
  the second group says how often.
- **Could be undone by** (Rosenbaum 2002): if something unrecorded made one of a pair this many times likelier (odds) to
  have the outcome, the p-value could pass the level. Near 1, little would be enough.
- **Source**: Ghoba, Colaner 2021, Counterfactual Fairness in Mortgage Lending via Matching. There, pairs are matched on
  what race does not change in a causal graph; leave out what the group changed. Balanced pairs do not make a model fair
  that is trained on them: what stands in for the group still carries it.
"""


def said(subject: Subject, found: Matching, scale: float) -> str:
    """The answer: everybody, then pairs, then what weakens it."""
    lines = [audit_pair.compared(subject, found.first, found.second, found.raw, found.counted, found.whom, scale=scale)]
    pairs = count(len(found.rows), "pair")
    if not math.isfinite(found.effect.value):
        lines.append(f"There are too few pairs of like people to say more ({plain(found.effect.undefined, 60)}).")
        return " ".join([*lines, _apart_words(found)])
    unit = " points" if scale == 100 else ""
    size, _, ends = points(found.effect, scale=scale).partition(" (")
    lines.append(f"Among {pairs} of like people the difference is **{size}**{unit}{f' ({ends}' if ends else ''}: "
                 f"{_verdict(found)}.")
    if math.isfinite(found.gamma.value):
        lines.append(f"Something unrecorded that makes the odds within a pair {found.gamma.value:.2f} times as large "
                     "could undo this.")
    lines.append(_apart_words(found))
    if found.share < FEW:
        lines.append(f"Only {percent(found.share)} found a like partner: the pairs speak for them alone.")
    return " ".join(line for line in lines if line)


def _verdict(found: Matching) -> str:
    e = found.effect
    if not (math.isfinite(e.low) and math.isfinite(e.high)):
        return "without an interval nothing can be said about chance"
    if e.low <= 0 <= e.high:
        return f"chance alone could make it ({chance(found.p)})"
    return f"a like person of the other group fares differently, more than chance explains ({chance(found.p)})"


def _apart_words(found: Matching) -> str:
    table = found.balance.dropna(subset=["after"])
    apart = [f"{f} ({v})" if v else str(f) for f, v, after in
             zip(table["feature"], table["value"], table["after"], strict=True) if abs(after) > APART]
    if not apart:
        return ""
    shown = ", ".join(plain(name, 60) for name in apart[:3]) + (f" and {len(apart) - 3} more" if len(apart) > 3 else "")
    return f"The pairs are **not alike** in {shown}: the difference may come from there."
