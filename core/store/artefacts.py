"""Arrays of a cohort as safetensors files: written whole and renamed into place, read without running any code.

home/artefacts/<study>/<cohort>/ holds history, val, test, weights and checkpoint, each ".safetensors".
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors import numpy as st_numpy

from core.store.base import StoreError
from core.types import History, Scores

if TYPE_CHECKING:  # torch takes a second to import
    from torch import Tensor

NAME = re.compile(r"[A-Za-z0-9_-]{1,120}")
KINDS = ("history", "val", "test", "weights", "checkpoint")
SPLIT_KINDS = ("val", "test")
HISTORY_AXES = {"iteration": 1, "counts": 6, "loss": 5, "state": 1, "diverged_at": 1, "n": 3, "n_effective": 3}
SCORES_AXES = {"score": (2, 3), "thresholds": (2,), "y": (1,), "attr": (1,), "w": (1,), "rows": (1,)}
PER_RUN = ("score", "thresholds")


def cohort_folder(home: Path, study: str, cohort: str = "") -> Path:
    """Where a cohort's (or a study's) files lie; names that are no plain ids are refused."""
    for name in (study, *([cohort] if cohort else [])):
        if not NAME.fullmatch(name):
            raise StoreError("Id", repr(name[:60]), "letters, digits, - and _", "use an id that the app gave")
    return Path(home) / "artefacts" / study / cohort


def write_whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Let `write` fill a file beside `path`, then rename it into place: readers see the old file or the new one."""
    part = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(part)
        os.replace(part, path)
    except (OSError, SafetensorError) as failed:
        part.unlink(missing_ok=True)
        reason = getattr(failed, "strerror", None) or type(failed).__name__
        raise StoreError("Data folder", f"{path.name} could not be written ({reason})", "a folder with free space",
                         "make room or check its permissions") from failed
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _unreadable(path: Path, why: str) -> StoreError:
    return StoreError("Stored results", f"a damaged file {path.parent.name}/{path.name} ({why})",
                      "a file as it was written", "train these runs again")


def _reading(path: Path, read: Callable[[Any], dict[str, Any]], framework: str = "numpy") -> dict[str, Any] | None:
    """read(open file), None where there is no file, StoreError where it is damaged."""
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework) as opened:
            return read(opened)
    except FileNotFoundError:  # deleted since
        return None
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, MemoryError) as broken:
        if isinstance(broken, StoreError):
            raise
        raise _unreadable(path, str(broken).splitlines()[0][:80] or type(broken).__name__) from broken


def _save_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_whole(path, lambda part: st_numpy.save_file(whole, part))


# ---------------------------------------------------------------- histories


def save_history(folder: Path, history: History) -> None:
    """Keep a history; dtypes are those that History states."""
    _save_arrays(folder / "history.safetensors", {f.name: getattr(history, f.name) for f in fields(History)})


def load_history(folder: Path) -> History | None:
    """The history of a cohort, or None; its shapes fit each other."""
    path = folder / "history.safetensors"
    found = _reading(path, lambda opened: {name: opened.get_tensor(name) for name in HISTORY_AXES})
    if found is None:
        return None
    wrong = next((name for name, axes in HISTORY_AXES.items() if found[name].ndim != axes), "")
    if not wrong:
        e, p, r, a, c, _ = found["counts"].shape
        shapes = {"iteration": (e,), "counts": (e, p, r, a, c, c), "loss": (e, p, r, c, a), "state": (r,),
                  "diverged_at": (r,), "n": (p, c, a), "n_effective": (p, c, a)}  # fmt: skip
        wrong = next((name for name, shape in shapes.items() if found[name].shape != shape), "")
    if wrong:
        raise _unreadable(path, f"{wrong} has another shape")
    return History(**found)


# ---------------------------------------------------------------- scores


def save_scores(folder: Path, split: str, scores: Scores) -> None:
    """Keep the scores of a cohort on a split."""
    _save_arrays(_scores_path(folder, split), {f.name: getattr(scores, f.name) for f in fields(Scores)})


def load_scores(folder: Path, split: str, positions: Sequence[int] | None = None) -> Scores | None:
    """Scores of all runs, or of those at `positions`, of which alone the file's bytes are read; None without a file."""
    path = _scores_path(folder, split)
    found = _reading(path, lambda opened: _read_scores(opened, positions))
    if found is None:
        return None
    n, runs = len(found["y"]), len(found["score"])
    fits = all(found[name].shape == (n,) for name in ("y", "attr", "w", "rows"))
    fits = fits and all(found[name].ndim in axes for name, axes in SCORES_AXES.items())
    if not fits or found["score"].shape[1] != n or len(found["thresholds"]) != runs:
        raise _unreadable(path, "its arrays do not fit each other")
    return Scores(**found)


def _scores_path(folder: Path, split: str) -> Path:
    if split not in SPLIT_KINDS:
        raise StoreError("Split", repr(split), "val or test", "training scores are not kept")
    return folder / f"{split}.safetensors"


def _read_scores(opened: Any, positions: Sequence[int] | None) -> dict[str, np.ndarray]:
    if positions is None:
        return {name: opened.get_tensor(name) for name in SCORES_AXES}
    found = {name: opened.get_tensor(name) for name in SCORES_AXES if name not in PER_RUN}
    for name in PER_RUN:
        part = opened.get_slice(name)
        length = part.get_shape()[0]
        bad = [p for p in positions if not 0 <= p < length]
        if bad:
            raise StoreError("Run", f"position {bad[0]} of a cohort of {length} runs", f"0 to {length - 1}",
                             "choose the run again")
        rows = [part[int(p) : int(p) + 1] for p in positions]
        found[name] = np.concatenate(rows) if rows else part[0:0]
    return found


# ---------------------------------------------------------------- tensors


def save_tensors(folder: Path, kind: str, tensors: Mapping[str, Tensor]) -> None:
    """Keep "weights" or a "checkpoint"."""
    from safetensors import torch as st_torch

    whole = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    write_whole(folder / f"{kind}.safetensors", lambda part: st_torch.save_file(whole, part))


def load_tensors(folder: Path, kind: str) -> dict[str, Tensor] | None:
    """What `save_tensors` kept, or None."""
    path = folder / f"{kind}.safetensors"
    return _reading(path, lambda opened: {name: opened.get_tensor(name) for name in opened.keys()}, "pt")  # noqa: SIM118
