"""Empirical risk minimisation: make the average loss small, whoever pays.

    min_theta  (1/N) sum_i w_i l(f_theta(x_i), y_i)

It has no settings of its own; l is the cross-entropy, w_i the weights of the data (mean 1).
Reference: Vapnik, Principles of risk minimization for learning theory, NeurIPS 1991.

>>> METHOD.stacked, METHOD.loss is None, sorted(METHOD.needs)
(True, True, [])
"""

from __future__ import annotations

from core.types import Method

METHOD = Method(
    name="erm",
    title="ERM (plain training)",
    family="baseline",
    summary="Makes the average error small; nobody's group is looked at. The reference for everything else.",
    source="Vapnik 1991, Principles of risk minimization for learning theory",
    equation="min (1/N) sum_i w_i l(f(x_i), y_i)",
    known_failures="Small groups weigh little in an average, so their errors can stay high unseen.",
)
