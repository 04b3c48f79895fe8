"""The command line: one parser, one way to fail.

Results go to standard output, progress to standard error. Exit status: 0 done; 1 a check that was asked for failed;
2 bad input, told in one line on standard error; 130 cancelled. Never a traceback.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from core.cli import catalogue
from core.cli.options import add_audit, add_front
from core.types import BadInput

DONE, FAILED_CHECK, BAD, CANCELLED = 0, 1, 2, 130
DESCRIPTION = "Counterweight without a browser: train studies and list what there is."


class Parser(argparse.ArgumentParser):
    """argparse that fails as everything here fails: one line."""

    def error(self, message: str) -> NoReturn:
        found = message.replace("argument ", "", 1)
        raise BadInput("Command line", found, "what --help shows", f"run {self.prog} --help")


def make_parser() -> Parser:
    """The commands and their options."""
    parser = Parser(prog="python -m core", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    run = commands.add_parser("run", help="train a study file", description="Train a study file. Interrupted, it keeps "
                              "what is finished; run again with the same folder, it goes on from there.")  # fmt: skip
    run.add_argument("study", metavar="STUDY.json", type=Path, help="the study file, as the app exports it")
    run.add_argument("--out", metavar="DIR", type=Path, help="folder for the results (default: STUDY-results here)")
    run.add_argument("--device", choices=("auto", "cpu", "cuda", "mps"), help="where to train (default: the study's)")
    run.add_argument("--max-minutes", metavar="M", type=float, help="stop after this long and keep what is finished")
    add_audit(commands)
    add_front(commands)
    for name, (_, words) in catalogue.LISTS.items():
        commands.add_parser(name, help=words, description=words[:1].upper() + words[1:] + ".")
    for command in commands.choices.values():
        command.add_argument("--format", choices=("json", "table"), default="table", help="how to print the result")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; `arguments` are sys.argv's by default."""
    restore = _stop_on_terminate()
    try:
        options = make_parser().parse_args(arguments)
        return _command(options)
    except BadInput as refused:
        return _say(BAD, str(refused))
    except KeyboardInterrupt:
        return _say(CANCELLED, "Cancelled.")
    except BrokenPipeError:  # the reader of the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except SystemExit as end:  # argparse after --help
        return int(end.code or 0)
    except Exception as error:  # never a traceback on the screen
        return _say(BAD, f"An unexpected error stopped the command ({type(error).__name__}: {error}); {_write_log()}.")
    finally:
        restore()


def _command(options: argparse.Namespace) -> int:
    if options.command == "run":
        from core.cli.run import run_study

        return run_study(options)
    if options.command == "audit":
        from core.cli.audit import run_audit

        return run_audit(options)
    if options.command == "front":
        from core.cli.front import run_front

        return run_front(options)
    print(catalogue.show(options.command, options.format), flush=True)
    return DONE


def _say(status: int, sentence: str) -> int:
    print(" ".join(sentence.split()), file=sys.stderr, flush=True)
    return status


def _write_log() -> str:
    """Keep the traceback in a file; returns where it is, in words."""
    path = Path(tempfile.gettempdir()) / f"counterweight-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    try:
        path.write_text(traceback.format_exc(), encoding="utf-8", errors="replace")
    except OSError:
        return "its details could not be written down"
    return f"details are in {path}"


def _stop_on_terminate():
    """Treat the signal to terminate like Ctrl-C; returns what undoes that."""
    if threading.current_thread() is not threading.main_thread():
        return lambda: None

    def stop(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    return lambda: signal.signal(signal.SIGTERM, before)
