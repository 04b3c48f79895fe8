"""Which device trains, and in blocks of how many models."""

from __future__ import annotations

import torch

from core.engine.plan import Cohort
from core.engine.seeds import torch_generator
from core.nn.head import logits
from core.types import BadInput, Net, Task

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


CPU_BYTES = 2 * 2**30
PROBE_ROWS = 4


def model_bytes(task: Task, cohort: Cohort, net: Net) -> int:
    """Bytes one model of a stack needs in training: its batch, what the backward pass keeps (counted on a few rows,
    not guessed), twice that for gradients in flight, and weights with two moments, gradient and update."""
    weights = net.init(torch_generator("size"), task.x.shape[1], task.n_classes, cohort.net_settings, task.image_shape)
    leaves = {k: v.requires_grad_() for k, v in weights.items()}
    kept: dict[int, int] = {}

    def note(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    own = {v.untyped_storage().data_ptr() for v in leaves.values()}
    with torch.autograd.graph.saved_tensors_hooks(note, lambda t: t):
        logits(net, leaves, torch.zeros(PROBE_ROWS, task.x.shape[1])).sum()
    activations = sum(size for place, size in kept.items() if place not in own) / PROBE_ROWS
    batch = cohort.budget.batch_size * (2 * activations + 4 * task.x.shape[1])
    return int(batch + 5 * sum(v.nbytes for v in leaves.values()))


def starting_blocks(task: Task, cohort: Cohort, net: Net, device: str) -> list[list[int]]:
    """All models in one block where they fit, else equal blocks that do (2 GiB on a CPU, 60 % of the free memory of a
    CUDA device)."""
    room = 0.6 * torch.cuda.mem_get_info()[0] if device == "cuda" else CPU_BYTES
    fits = max(1, int(room // model_bytes(task, cohort, net)))
    n_blocks = -(-cohort.n_models // fits)
    size = -(-cohort.n_models // n_blocks)
    return [list(range(i, min(i + size, cohort.n_models))) for i in range(0, cohort.n_models, size)]


def is_out_of_memory(error: BaseException) -> bool:
    """True for the errors that mean "a smaller block would have worked"."""
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return True
    return isinstance(error, RuntimeError) and "not enough memory" in str(error).lower()


def halves(models: list[int]) -> list[list[int]]:
    """A block cut in two (or left alone when it holds one model)."""
    middle = len(models) // 2
    return [models[:middle], models[middle:]] if middle else [models]
