from __future__ import annotations

import os
import signal

import pytest

from core.cli import catalogue, main
from core.types import BadInput


def test_help_names_the_commands_that_there_are(capsys):
    assert main.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("run", "audit", "front", "methods", "datasets", "metrics"))
    assert not any(word in shown for word in ("export", "papers"))
    assert main.main(["run", "--help"]) == 0 and "--max-minutes" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [
    [], ["fly"], ["run"], ["run", "x", "--device", "abacus"], ["methods", "--format", "xml"],
    ["run", "x", "--max-minutes", "soon"], ["datasets", "adult"],
])
def test_wrong_arguments_are_one_line_and_status_two(arguments, capsys):
    assert main.main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and said.err.startswith("Command line: found ")


@pytest.mark.parametrize(("error", "status", "words"), [
    (BadInput("Label", "3\nvalues", "2", "choose"), 2, "Label: found 3 values, allowed is 2; choose."),
    (KeyboardInterrupt(), 130, "Cancelled."),
    (ZeroDivisionError("by\nzero"), 2, "(ZeroDivisionError: by zero); details"),
])
def test_errors_are_one_line_never_a_traceback(error, status, words, monkeypatch, capsys, tmp_path):
    def fails(*_):
        raise error

    monkeypatch.setattr(catalogue, "show", fails)
    monkeypatch.setattr(main.tempfile, "gettempdir", lambda: str(tmp_path))
    assert main.main(["methods"]) == status
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and "Traceback" not in said
    if isinstance(error, ZeroDivisionError):
        assert "Traceback" in next(tmp_path.glob("counterweight-*.log")).read_text()


def test_being_told_to_terminate_is_a_cancel_and_the_handler_is_put_back(monkeypatch, capsys):
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(catalogue, "show", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    assert main.main(["methods"]) == 130 and signal.getsignal(signal.SIGTERM) is before
