"""Which device trains, and in blocks of how many models."""

from __future__ import annotations

import torch

from core.types import BadInput

DEVICES = ("auto", "cpu", "cuda", "mps")


def pick_device(wanted: str = "auto") -> str:
    """ "auto" is CUDA, else MPS, else the CPU. A device that is not there is refused, never silently replaced."""
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if wanted == "auto":
        return "cuda" if there["cuda"] else "mps" if there["mps"] else "cpu"
    if wanted not in there:
        raise BadInput("Device", repr(wanted), "one of " + ", ".join(DEVICES), "use auto")
    if not there[wanted]:
        known = ", ".join(name for name, here in there.items() if here)
        raise BadInput("Device", f"{wanted}, which this machine does not offer", known, "use auto")
    return wanted


def is_out_of_memory(error: BaseException) -> bool:
    """True for the errors that mean "a smaller block would have worked"."""
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return True
    return isinstance(error, RuntimeError) and "not enough memory" in str(error).lower()


def halves(models: list[int]) -> list[list[int]]:
    """A block cut in two (or left alone when it holds one model)."""
    middle = len(models) // 2
    return [models[:middle], models[middle:]] if middle else [models]
