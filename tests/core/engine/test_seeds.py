from __future__ import annotations

import torch

from core.engine.seeds import numpy_generator, seed_of, torch_generator


def test_same_parts_give_the_same_seed_and_other_parts_another():
    assert seed_of("order", 1, 2) == seed_of("order", 1, 2)
    assert seed_of("order", 1, 2) != seed_of("order", 12)
    assert 0 <= seed_of("x") < 2**63


def test_seed_is_pinned_so_that_old_studies_rerun_to_the_same_numbers():
    assert seed_of("weights", 0, "") == 8698701430809276293


def test_generators_leave_the_global_ones_alone():
    before = torch.get_rng_state()
    torch.rand(3, generator=torch_generator("a"))
    numpy_generator("a").random(3)
    assert torch.equal(before, torch.get_rng_state())
