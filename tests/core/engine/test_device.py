from __future__ import annotations

import pytest
import torch

from core.engine.device import halves, is_out_of_memory, pick_device
from core.types import BadInput


def test_auto_takes_the_best_device_that_is_there():
    best = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    assert pick_device("auto") == best and pick_device("cpu") == "cpu"


def test_unknown_and_absent_devices_are_refused_by_name():
    with pytest.raises(BadInput, match="'tpu'"):
        pick_device("tpu")
    absent = "mps" if not torch.backends.mps.is_available() else "cuda"
    if not torch.cuda.is_available() or absent == "mps":
        with pytest.raises(BadInput, match="does not offer"):
            pick_device(absent)


def test_memory_errors_are_told_from_others():
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory"))
    assert is_out_of_memory(RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate"))
    assert not is_out_of_memory(RuntimeError("shapes do not match"))


def test_a_block_is_cut_in_two_until_one_model_is_left():
    assert halves([0, 1, 2, 3, 4]) == [[0, 1], [2, 3, 4]]
    assert halves([7]) == [[7]]
