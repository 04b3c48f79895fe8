"""A Streamlit server as a subprocess: started on a free port, ended by its process, its log read at the end."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPLAINTS = re.compile(r"Traceback|Please replace|Uncaught app execution")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """Use as a context; `stop(hard=True)` and `start()` restart it on the same data folder.

    Args:
        folder: holds `home` (the data folder) and `server.log`.
        environment: further variables of the server's process.
    """

    def __init__(self, folder: Path, **environment: str) -> None:
        self.home, self.log_path = folder / "home", folder / "server.log"
        self.home.mkdir(parents=True, exist_ok=True)
        self.port, self.environment = free_port(), environment
        self.process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, kind, *_) -> None:
        self.stop()
        if kind is None:
            self.check_log()

    def start(self) -> None:
        """Start and wait until it answers that it is healthy."""
        own = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS" and not k.startswith("COUNTERWEIGHT_")}
        own |= {"COUNTERWEIGHT_HOME": str(self.home), "PYTHONUNBUFFERED": "1"} | self.environment
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(self.port),
                   "--server.address", "127.0.0.1", "--server.headless", "true", "--server.fileWatcherType", "none"]
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=own, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT)
        self._wait(60)

    def stop(self, hard: bool = False) -> float:
        """End the process, politely or (`hard`) as a crash would; returns the seconds it took."""
        if self.process is None:
            return 0.0
        began = time.monotonic()
        self.process.send_signal(signal.SIGKILL if hard else signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
            raise
        finally:
            self.process = None
        return time.monotonic() - began

    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def check_log(self) -> None:
        """No traceback and no deprecated call was logged."""
        found = COMPLAINTS.search(self.log())
        assert not found, f"the server logged a complaint:\n{self.log()[max(0, found.start() - 500):][:4000]}"

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            assert self.process.poll() is None, f"the server ended at once:\n{self.log()[-4000:]}"
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as got:
                if got.read() == b"ok":
                    return
            time.sleep(0.1)
        raise AssertionError(f"the server did not answer within {seconds} s:\n{self.log()[-4000:]}")
