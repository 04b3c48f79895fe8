r"""Group DRO: train on a weighted mix of group losses whose weights grow where the loss is high.

    q_g <- q_g exp(eta (L_g + C / sqrt(n_g)))  for groups in the batch,  q <- q / sum q,   loss = sum_g q_g L_g

eta: `eta` (step size of the group weights); C: `adjustment` (size adjustment, 0 is plain Group DRO); n_g: training rows
of group g. A group is a class within an attribute group (subgroup).
Departures: groups without a training row start at q = 0 and stay there; the weights of groups absent from a batch are
not scaled before normalising, and the updated q is the one in the loss, as in the authors' code. L_g is the mean under
the data's own weights within the group, so a group that the data weigh lightly is not taken for one of low loss. The
exponentials are taken relative to the largest, which changes nothing but the range of eta that stays finite.
Reference: Sagawa, Koh, Hashimoto, Liang, Distributionally robust neural networks for group shifts, ICLR 2020.

>>> import torch
>>> q = update(torch.tensor([0.5, 0.5]), torch.tensor([0.2, 1.2]), torch.ones(2), 0.5)
>>> [round(v, 4) for v in q.tolist()], round(float(q @ torch.tensor([0.2, 1.2])), 4)
([0.3775, 0.6225], 0.8225)
"""

from __future__ import annotations

from core.group import means, present
from core.methods._minimax import evenly, update
from core.nn.head import cross_entropy, logits
from core.types import Method, Param


def init(info, hp, gen):
    """State: q (S,) uniform over subgroups seen in training; extra (S,) C / sqrt(n_g)."""
    seen = (info.subgroup_counts > 0).float()
    extra = hp["adjustment"] / info.subgroup_counts.clamp(min=1).sqrt() * seen
    return {}, {"q": evenly(info.subgroup_counts), "extra": extra}


def loss(net, weights, state, batch, hp):
    """sum over subgroups in the batch of q_g L_g, with the updated q."""
    each = cross_entropy(logits(net, weights, batch.x), batch.t)
    groups, here = means(each, batch.s, batch.w), present(batch.s)
    q = update(state["q"], groups.detach() + state["extra"], here, hp["eta"])
    return (q * groups * here).sum(-1), {"q": q, "extra": state["extra"]}


METHOD = Method(
    name="group_dro",
    title="Group DRO",
    family="robust",
    summary="Shifts training towards whichever group currently has the highest loss.",
    source="Sagawa et al. 2020, Distributionally robust neural networks for group shifts (ICLR)",
    equation="q_g ∝ q_g exp(η (L_g + C/√n_g)); loss = Σ q_g L_g",
    params=(
        Param("eta", 0.01, 0.0, 10.0, log=True, symbol="η", title="Step of the group weights",
              help="How fast the weight of a group grows while its loss is high. Usual range 0.001 to 0.1; "
                   "0 trains every group with equal weight."),
        Param("adjustment", 0.0, 0.0, 20.0, symbol="C", title="Size adjustment",
              help="Counts small groups as worse than measured, by C / √n, since they are fitted more easily."),
    ),
    papers=(4, 42),
    needs=frozenset({"attr_train"}),
    init=init,
    loss=loss,
    known_failures="At η = 0 it is training on equally weighted groups, not ERM. With strong fitting every training "
                   "loss goes to zero and the group weights no longer matter: use weight decay or fewer iterations.",
)  # fmt: skip
