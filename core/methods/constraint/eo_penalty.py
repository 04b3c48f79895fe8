r"""Equalized-odds penalty: punish differences between groups in the mean predicted probability within each true class.

    loss = ERM + lam mean_y (max_a m_ay - min_a m_ay)^2,  m_ay = mean p(positive | x) over rows of class y in group a

lam: `lam` (0 is ERM); `shape`: the square (as above) or the spread itself; `odds`: "equalized" takes all true classes,
"opportunity" the positive class alone. For more than two classes the largest spread over predicted
classes is punished. Cells absent from a batch are left out. Departure: FFB takes the spread itself, the square is our
default.
Reference: Hardt, Price, Srebro, Equality of opportunity in supervised learning, NeurIPS 2016, as a penalty in the
mean-difference form of Han et al., FFB: a fair fairness benchmark, ICLR 2024 (DiffEOdd, DiffEOpp).

>>> METHOD.param("odds").choices
('equalized', 'opportunity')
"""

from __future__ import annotations

import torch

from core.methods.constraint._gaps import LAM, SHAPE, positives, punish, spreads
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param


def loss(net, weights, state, batch, hp):
    """Cross-entropy plus lam times the mean (squared) spread within the true classes."""
    z = logits(net, weights, batch.x)
    p, n_classes = positives(z), batch.t.shape[-1]
    chosen = range(n_classes) if hp["odds"] == "equalized" else range(n_classes - 1, n_classes)
    gaps = torch.stack([spreads(p, batch.a * batch.t[:, y : y + 1], batch.w).amax(-1) for y in chosen])
    penalty = punish(gaps, hp["shape"]).mean(-1)
    return weighted_mean(cross_entropy(z, batch.t), batch.w) + hp["lam"] * penalty, state


METHOD = Method(
    name="eo_penalty",
    title="Equalized-odds penalty",
    family="constraint",
    summary="Punishes the model while groups of the same true class receive positive predictions at different rates.",
    source="Hardt, Price, Srebro 2016 (NeurIPS); penalty form of Han et al. 2024, FFB (ICLR)",
    equation="loss = ERM + λ mean_y (max m_ay − min m_ay)²",
    params=(
        LAM,
        SHAPE,
        Param("odds", "equalized", choices=("equalized", "opportunity"), static=True, title="Which classes",
              help="equalized: rates within every true class; opportunity: within the positive class alone."),
    ),
    needs=frozenset({"attr_train"}),
    limits=(({"lam": 0.0}, "erm", {}),),
    loss=loss,
    known_failures="Small cells (positives of a small group) are often absent from a batch: use larger batches.",
)  # fmt: skip
