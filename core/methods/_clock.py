"""How far a training is, for methods that change their loss on the way: shares of the iterations, not numbers of them,
so that a setting means the same at every budget."""

from __future__ import annotations

import torch
from torch import Tensor

from core.types import Info


def clock(info: Info, hp=None, gen=None) -> tuple[dict, dict]:
    """An `init` for methods that wait: state "step", iterations done, and "steps", all there will be."""
    return {}, {"step": torch.zeros(()), "steps": torch.tensor(float(info.n_steps))}


def tick(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The state one iteration later."""
    return {**state, "step": state["step"] + 1}


def waited(state: dict[str, Tensor], share: Tensor) -> Tensor:
    """(): True from the iteration on at which the share of all iterations is over; never at 1."""
    return state["step"] >= share * state["steps"]
