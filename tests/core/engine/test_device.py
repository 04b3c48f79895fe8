from __future__ import annotations

import pytest
import torch
from toys import NET, cohort_for

from core.engine import device
from core.engine.device import halves, is_out_of_memory, model_bytes, pick_device, starting_blocks
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


def test_a_model_needs_its_batch_its_activations_and_its_weights(task, erm):
    cohort = cohort_for(erm)  # 6 inputs, 8 hidden units, 2 classes, batches of 32
    weights = (6 * 8 + 8 + 8 * 2 + 2) * 4
    need = model_bytes(task, cohort, NET)
    assert need >= 5 * weights + 32 * 4 * (6 + 2 * 8)
    assert need < 10 * weights + 32 * 4 * (6 + 8 * 8)


def test_models_that_do_not_fit_together_start_in_equal_blocks(task, erm, monkeypatch):
    cohort = cohort_for(erm, seeds=tuple(range(10)))
    assert starting_blocks(task, cohort, NET, "cpu") == [list(range(10))]
    monkeypatch.setattr(device, "CPU_BYTES", 4 * model_bytes(task, cohort, NET))
    assert [len(b) for b in starting_blocks(task, cohort, NET, "cpu")] == [4, 4, 2]
