from __future__ import annotations

import torch
from toys import make_task

from core import registry
from core.engine.plan import plan_cohorts
from core.engine.train import train_cohort
from core.nn.head import logits
from core.types import Budget, MethodSpec, TrainSpec

NET = registry.net("resnet_mlp")


def test_it_equals_the_same_blocks_in_torch_nn():
    weights = NET.init(torch.Generator().manual_seed(0), 4, 3, {"hidden": 6, "blocks": 2}, None)
    x = torch.randn(5, 4, generator=torch.Generator().manual_seed(1))

    def linear(name, v):
        return torch.nn.functional.linear(v, weights[f"{name}.w"].T, weights[f"{name}.b"])

    norm = torch.nn.LayerNorm(6)
    h = linear("first", x)
    for k in range(2):
        h = h + linear(f"block{k}.down", torch.relu(linear(f"block{k}.up", norm(h))))
    torch.testing.assert_close(logits(NET, weights, x), linear("head", torch.relu(norm(h))))


def test_a_block_whose_last_layer_is_zero_passes_its_input_on():
    weights = NET.init(torch.Generator().manual_seed(0), 4, 2, {"hidden": 6, "blocks": 1}, None)
    weights["block0.down.w"], weights["block0.down.b"] = torch.zeros(12, 6), torch.zeros(6)
    bare = {k: v for k, v in weights.items() if not k.startswith("block0")}
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(NET.features(weights, x), NET.features(bare, x))


def test_it_trains_stacked_and_learns():
    erm = registry.method("erm")
    spec = TrainSpec((MethodSpec("erm"),), net="resnet_mlp", net_settings={"hidden": 8, "blocks": 2}, seeds=(0, 1),
                     budget=Budget(iterations=120, evaluations=3, batch_size=32, lr=(0.01,)))
    task = make_task()
    outcome = train_cohort(task, plan_cohorts(spec, {"erm": erm}, NET)[0], erm, NET)
    right = (outcome.test.score >= 0.5) == outcome.test.y
    assert right.mean() > 0.75
