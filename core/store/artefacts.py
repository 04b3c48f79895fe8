"""Arrays on disk: one folder a cohort, one safetensors file a kind, replaced whole so that a reader never sees half.

safetensors holds names, shapes, types and bytes, and nothing that could run; one run's rows are read without the rest.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import safetensors.numpy
import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from core.types import BadInput, History, Scores

NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")
HISTORY = ("iteration", "counts", "loss", "state", "diverged_at", "n", "n_effective")
SCORES = ("score", "thresholds", "y", "attr", "w", "rows")
PER_RUN = ("score", "thresholds")


class Artefacts:
    """The arrays below `root` (home/artefacts). study, cohort: checked names, never paths."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def path(self, study: str, cohort: str, kind: str) -> Path:
        """File of one kind ("history", "scores-val", "scores-test", "weights", "checkpoint")."""
        for part in (study, cohort, kind):
            if not NAME.fullmatch(part):
                raise BadInput("Artefact", repr(part), "letters, digits, - and _", "open the study from the start page")
        return self.root / study / cohort / f"{kind}.safetensors"

    def _write(self, target: Path, save) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}")
        save(str(part))
        os.replace(part, target)

    def put(self, study: str, cohort: str, kind: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Write NumPy arrays."""
        solid = {k: np.ascontiguousarray(v) for k, v in arrays.items()}
        self._write(self.path(study, cohort, kind), lambda p: safetensors.numpy.save_file(solid, p))

    def put_tensors(self, study: str, cohort: str, kind: str, tensors: Mapping[str, Tensor]) -> None:
        """Write torch tensors; an empty dict writes nothing."""
        if tensors:
            solid = {k: v.detach().cpu().contiguous().clone() for k, v in tensors.items()}
            self._write(self.path(study, cohort, kind), lambda p: safetensors.torch.save_file(solid, p))

    def tensors(self, study: str, cohort: str, kind: str) -> dict[str, Tensor] | None:
        """Read torch tensors; None where there are none."""
        return self._read(self.path(study, cohort, kind), safetensors.torch.load_file)

    def _read(self, path: Path, load):
        if not path.exists():
            return None
        try:
            return load(str(path))
        except FileNotFoundError:
            return None
        except (SafetensorError, OSError, ValueError, KeyError) as error:
            raise BadInput("Stored results", f"a damaged file ({path.parent.name}/{path.name})", "a whole one",
                           "delete this job's study or train it again") from error  # fmt: skip

    def history(self, study: str, cohort: str) -> History | None:
        """The measurements of a cohort, or None before the first."""
        found = self._read(self.path(study, cohort, "history"), safetensors.numpy.load_file)
        return None if found is None else History(**{k: found[k] for k in HISTORY})

    def scores(self, study: str, cohort: str, split: str, positions: Sequence[int] | None = None) -> Scores | None:
        """Scores of all runs of a cohort, or of those at `positions`, reading only their rows."""

        def load(path: str) -> Scores:
            with safe_open(path, framework="np") as file:
                parts = {k: self._rows(file, k, positions) for k in SCORES}
            return Scores(**parts)

        return self._read(self.path(study, cohort, f"scores-{split}"), load)

    @staticmethod
    def _rows(file, name: str, positions: Sequence[int] | None) -> np.ndarray:
        if positions is None or name not in PER_RUN:
            return file.get_tensor(name)
        piece = file.get_slice(name)
        if any(not 0 <= p < piece.get_shape()[0] for p in positions):
            raise ValueError("position out of range")
        return np.concatenate([piece[p : p + 1] for p in positions])

    def drop(self, study: str, cohort: str, kind: str) -> None:
        """Remove one file, if it is there."""
        self.path(study, cohort, kind).unlink(missing_ok=True)

    def drop_study(self, study: str) -> None:
        """Remove all arrays of a study."""
        shutil.rmtree(self.path(study, "x", "x").parent.parent, ignore_errors=True)
