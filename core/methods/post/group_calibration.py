r"""Group calibration: one accurate, calibrated chance for every group, and the same threshold 1/2 on it for everybody.

    p = sigma(a_g logit(s) + b_g),   positive where p >= 1/2,   so   t_g = sigma(-b_g / a_g)

s: the score of the plain model; a_g, b_g: fitted on the validation rows of group g by `form`. "logistic": maximum
likelihood with Platt's targets (N1 + 1) / (N1 + 2) and 1 / (N0 + 2), drawn towards the fit to all rows as if `pull`
rows had been seen there (the pooled information per row; 0: every group for itself, very large: one common map).
"isotonic": the monotone map of least squares; its 1/2 is crossed at a threshold of greatest accuracy, so it equals
group thresholds without a bound. Nobody is moved for the sake of parity: a row with a chance above one half is positive
in every group, which is what infra-marginality asks for.
Departure: the paper fits one model to each group; here a model does not see the group when it scores, so all groups
share the model's order of rows and each has its own map from scores to chances.
Reference: Biswas, Barman, Deshpande, Sharma, Quantifying infra-marginality and its trade-off with group fairness, 2019
(arXiv 1909.00982); the definition behind eta is a reconstruction. Platt, Probabilistic outputs for support vector
machines, 1999.

>>> import numpy as np
>>> infra_marginality(np.array([0.9, 0.4]), np.array([0.0, 0.0]), np.ones(2))
0.4
"""

from __future__ import annotations

import numpy as np
from sklearn.isotonic import IsotonicRegression

from core.types import Method, Param, Rule

EDGE, STEPS = 1e-6, 50


def infra_marginality(p: np.ndarray, accept: np.ndarray, w: np.ndarray) -> float:
    """True chances (N,), probabilities of acceptance (N,), weights -> eta = E[|h - h*| |2p - 1|], h* = 1[p >= 1/2].

    It is the accuracy of h* less that of h, to the last digit."""
    return float(np.average(np.abs(accept - (p >= 0.5)) * np.abs(2 * p - 1), weights=w))


def _sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(z, -500, 500)))


def _logit(s: np.ndarray) -> np.ndarray:
    s = np.clip(s.astype(np.float64), EDGE, 1 - EDGE)
    return np.log(s / (1 - s))


def line(s: np.ndarray, y: np.ndarray, w: np.ndarray, near=(1.0, 0.0), toward: np.ndarray | None = None):
    """Scores, labels, weights (N,) -> ((a, b), (2, 2) information): Platt's logistic fit on the log odds of the scores.

    near: where the search starts and, with `toward` (2, 2), what the fit is drawn to."""
    z = np.stack([_logit(s), np.ones(len(s))], 1)
    n1, n0 = w[y == 1].sum(), w[y == 0].sum()
    goal = np.where(y == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    prior = np.zeros((2, 2)) if toward is None else toward
    start = np.asarray(near, float)
    ab = start.copy()

    def lost(c: np.ndarray) -> float:
        return float(w @ (np.logaddexp(0, z @ c) - goal * (z @ c)) + (c - start) @ prior @ (c - start) / 2)

    for _ in range(STEPS):
        p = _sigmoid(z @ ab)
        slope = z.T @ (w * (p - goal)) + prior @ (ab - start)
        bend = (z * (w * p * (1 - p))[:, None]).T @ z + prior
        step = np.linalg.solve(bend + 1e-9 * (np.trace(bend) + 1e-9) * np.eye(2), slope)
        size = 1.0
        while lost(ab - size * step) > lost(ab) + 1e-12 and size > 1e-6:
            size /= 2
        ab = ab - size * step
        if np.abs(size * step).max() < 1e-10:
            break
    p = _sigmoid(z @ ab)
    return ab, (z * (w * p * (1 - p))[:, None]).T @ z


def _crossing(ab: np.ndarray, share: float) -> tuple[float, bool]:
    """Threshold on the score at which the chance is 1/2, and whether the chances rise with the score at all."""
    if ab[0] > 1e-9:
        return float(_sigmoid(-ab[1] / ab[0])), True
    return (0.0 if share >= 0.5 else float(np.nextafter(1.0, 2.0))), False


def _isotonic(s: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """The lowest score whose isotonic chance is at least 1/2; above 1 where there is none."""
    chance = IsotonicRegression().fit(s, y, w).predict(s)
    high = s[chance >= 0.5 - 1e-12]
    return float(high.min()) if len(high) else float(np.nextafter(1.0, 2.0))


def decide(scores, attr, y, w, hp) -> Rule:
    """The threshold of every group; groups without validation rows get that of all rows."""
    n_attrs = int(attr.max()) + 1 if len(attr) else 1
    if not len(y):
        return Rule(np.full(n_attrs, 0.5), "no validation rows: the plain rule stays")
    w = w.astype(np.float64)
    pooled, information = line(scores, y, w)
    toward = hp["pull"] * information / w.sum()
    found, flat = np.full(n_attrs, 0.5), []
    for g in range(n_attrs):
        rows = attr == g
        if hp["form"] == "isotonic":
            found[g] = _isotonic(scores[rows], y[rows], w[rows]) if rows.any() else 0.5
            continue
        ab = line(scores[rows], y[rows], w[rows], pooled, toward)[0] if rows.any() else pooled
        found[g], rises = _crossing(ab, float(np.average(y[rows], weights=w[rows])) if rows.any() else 0.5)
        flat += [g] if rows.any() and not rises else []
    note = "scores at which the chance of each group is one half, on validation rows"
    if flat:
        note += f"; in {len(flat)} group(s) the chance does not rise with the score: everybody gets the commoner class"
    return Rule(found, note)


METHOD = Method(
    name="group_calibration",
    title="Group calibration, threshold one half",
    family="post",
    summary="Turns scores into true chances for every group and gives everybody the same threshold, one half.",
    source="Biswas et al. 2019, Quantifying infra-marginality (arXiv 1909.00982); Platt 1999",
    equation="p = σ(a_g logit s + b_g), positive where p ≥ ½",
    params=(
        Param("form", "logistic", choices=("logistic", "isotonic"), stage="decide", title="Map from scores to chances",
              help="logistic: two numbers a group, steady with few rows; isotonic: any rising map, needs hundreds."),
        Param("pull", 10.0, 0.0, 1e6, stage="decide", title="Rows that speak for all groups alike",
              help="Used by logistic alone. 0 fits every group for itself; more draws small groups to the common map."),
    ),
    papers=(22,),
    needs=frozenset({"attr_val", "attr_test", "binary"}),
    limits=(({"form": "isotonic"}, "group_thresholds", {"gap_bound": 1.0}),),
    decide=decide,
    reconstruction="The paper fits a model to each group; here each group has its own calibration of one shared model. "
                   "Its definition of eta was described to us, not seen.",
    known_failures="It serves accuracy: where base rates differ, groups are selected at different rates. It needs "
                   "everybody's group at decision time, which may be unlawful.",
)  # fmt: skip
