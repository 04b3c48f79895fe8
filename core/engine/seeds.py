"""Seeds for everything random: a hash of what the numbers are for, so that no draw depends on another's order."""

from __future__ import annotations

import hashlib

import numpy as np
import torch


def seed_of(*parts: object) -> int:
    """A 63-bit integer from the parts' text: the same parts, the same seed, on every machine."""
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1


def torch_generator(*parts: object) -> torch.Generator:
    """A CPU generator of its own; the global one is never touched."""
    return torch.Generator().manual_seed(seed_of(*parts))


def numpy_generator(*parts: object) -> np.random.Generator:
    """A NumPy generator of its own."""
    return np.random.Generator(np.random.Philox(seed_of(*parts)))
