from __future__ import annotations

import torch

from core.methods._clock import clock, tick, waited
from core.types import Info

INFO = Info(10, 1, 2, 1, 1, 4, 5, torch.ones(2), torch.ones(1), torch.ones(2))


def test_the_share_of_the_iterations_decides_from_when_on():
    _, state = clock(INFO)
    seen: dict[float, list[bool]] = {0.0: [], 0.4: [], 0.5: [], 1.0: []}
    for _ in range(5):
        for share, row in seen.items():
            row.append(bool(waited(state, torch.tensor(share))))
        state = tick(state)
    assert seen == {0.0: [True] * 5, 0.4: [False] * 2 + [True] * 3, 0.5: [False] * 3 + [True] * 2, 1.0: [False] * 5}


def test_a_tick_keeps_the_rest_of_the_state_and_the_old_one():
    state = clock(INFO)[1] | {"other": torch.ones(2)}
    later = tick(state)
    assert state["step"] == 0 and later["step"] == 1 and later["other"] is state["other"]
