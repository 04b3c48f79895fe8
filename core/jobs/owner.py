"""Which running program works on a job: a file that its owner keeps locked. The system unlocks it however that ends."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path
from typing import IO, Any

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: without locks a job of another program counts as abandoned
    fcntl = None

TOKEN = re.compile(r"[0-9a-f]{16}")


def _lock(file: IO) -> bool:
    """True where the lock was free."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class Owner:
    """One program that works on jobs of a data folder. `token` names it in the store.

    The file home/owners/<token>.lock is locked before it gets its name, so nobody ever finds it unlocked.
    """

    def __init__(self, home: Path) -> None:
        self.folder, self.token = Path(home) / "owners", secrets.token_hex(8)
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / f".{self.token}.part"
        self._file = part.open("w")
        _lock(self._file)
        os.replace(part, self._path)
        for other in self.folder.glob("*.lock"):
            self.works(other.stem)  # forgets those that ended

    @property
    def _path(self) -> Path:
        return self.folder / f"{self.token}.lock"

    def works(self, token: str) -> bool:
        """Whether the program of this token is still running."""
        if token == self.token:
            return not self._file.closed
        path = self.folder / f"{token}.lock"
        if not TOKEN.fullmatch(token) or not path.is_file():
            return False
        try:
            with path.open("r+") as file:
                if not _lock(file):
                    return True
                path.unlink(missing_ok=True)
        except OSError:
            pass
        return False

    def release(self) -> None:
        """Say that this program works on nothing any more."""
        self._path.unlink(missing_ok=True)
        self._file.close()
