from __future__ import annotations

import pytest
import torch
from toys import make_task

from core import registry
from core.engine.evaluate import stacked_logits
from core.engine.plan import plan_cohorts
from core.engine.train import train_cohort
from core.nn.head import logits
from core.types import BadInput, Budget, MethodSpec, TrainSpec

NET = registry.net("ft_transformer")
HP = {"width": 3, "heads": 2, "blocks": 2}


def drawn(seed=0, n_features=4, n_classes=3, **changes):
    gen = torch.Generator().manual_seed(seed)
    weights = NET.init(gen, n_features, n_classes, HP | changes, None)
    return {k: v + 0.1 * torch.randn(v.shape, generator=gen) for k, v in weights.items()}


def rows(n=5, n_features=4, seed=1):
    return torch.randn(n, n_features, generator=torch.Generator().manual_seed(seed))


def in_torch_nn(weights, x):
    """All tokens through every block with torch's own multi-head attention; the class token is read at the end."""
    def linear(name, v):
        return torch.nn.functional.linear(v, weights[f"{name}.w"].T, weights[f"{name}.b"])

    def norm(name, v):
        return torch.nn.functional.layer_norm(v, v.shape[-1:], weights[f"{name}.w"], weights[f"{name}.b"])

    h = torch.stack([torch.cat([weights["token.class"], row[:, None] * weights["token.w"] + weights["token.b"]])
                     for row in x])
    for k in range(2):
        attention = torch.nn.MultiheadAttention(6, 2, batch_first=True)
        parts = [weights[f"block{k}.{p}"].permute(0, 2, 1).reshape(6, 6) for p in ("query", "key", "value")]
        attention.load_state_dict({"in_proj_weight": torch.cat(parts), "in_proj_bias": torch.zeros(18),
                                   "out_proj.weight": weights[f"block{k}.mix.w"].T,
                                   "out_proj.bias": weights[f"block{k}.mix.b"]})
        read = norm(f"block{k}.ask", h) if k else h
        h = h + attention(read, read, read)[0]
        gate, up = linear(f"block{k}.up", norm(f"block{k}.norm", h)).chunk(2, -1)
        h = h + linear(f"block{k}.down", torch.relu(gate) * up)
    return linear("head", torch.relu(norm("last.norm", h[:, 0])))


def test_it_equals_the_same_blocks_with_torchs_own_attention():
    weights, x = drawn(), rows()
    torch.testing.assert_close(logits(NET, weights, x), in_torch_nn(weights, x), atol=1e-5, rtol=1e-4)


def test_inputs_may_change_places_when_their_tokens_do():
    weights, x = drawn(), rows()
    order = torch.tensor([2, 0, 3, 1])
    moved = weights | {k: weights[k][order] for k in ("token.w", "token.b")}
    torch.testing.assert_close(NET.features(moved, x[:, order]), NET.features(weights, x))


def test_a_stack_equals_its_members_one_at_a_time_even_in_small_chunks(monkeypatch):
    members, x = [drawn(seed) for seed in range(3)], rows(40)
    monkeypatch.setattr("core.engine.evaluate.CHUNK_BYTES", 1)
    stacked = stacked_logits(NET, {k: torch.stack([m[k] for m in members]) for k in members[0]}, x)
    torch.testing.assert_close(stacked, torch.stack([logits(NET, m, x) for m in members]), atol=1e-5, rtol=1e-4)


def test_too_many_inputs_are_refused_in_one_sentence():
    with pytest.raises(BadInput, match="784 inputs.*at most 400"):
        NET.init(torch.Generator(), 784, 10, HP, None)


def test_it_trains_stacked_and_learns():
    erm = registry.method("erm")
    spec = TrainSpec((MethodSpec("erm"),), net="ft_transformer", net_settings={"width": 4, "heads": 2, "blocks": 2},
                     seeds=(0, 1), budget=Budget(iterations=120, evaluations=3, batch_size=32, lr=(0.01,)))
    task = make_task()
    outcome = train_cohort(task, plan_cohorts(spec, {"erm": erm}, NET)[0], erm, NET)
    right = (outcome.test.score >= 0.5) == outcome.test.y
    assert right.mean() > 0.75
