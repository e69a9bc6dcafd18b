"""What a command found, in every form in which it can be asked for."""

from __future__ import annotations

import argparse
import errno
import json
import math
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rich.console import RenderableType

from epstar.errors import InvalidInput

# Exit codes, the same for every command; `epstar --help` lists them.
REFUTED, BAD_INPUT, NO_SOLUTION, LIMIT, UNDECIDED, INTERRUPTED = 1, 2, 3, 4, 5, 130
# Characters of a line in a pipe: more than any table has.
_WIDEST = 1 << 20


@dataclass(frozen=True)
class Result:
    """One answer: `document` for --json, `shown` for people, `rests_on` for --cite, `draw` for --plot.

    `rests_on` is any text that names papers by their keys. `code` is the exit code. `done` is a sentence about what was
    done and stays done, also if the result cannot be shown.
    """

    document: object
    shown: tuple[RenderableType, ...]
    rests_on: str = ""
    draw: Callable[[str], None] | None = None
    code: int = 0
    done: str = ""


class CommandModule(Protocol):
    """What the module of a command holds.

    `EXAMPLES` are lines for `--help`. `PICTURE` says what `--plot` draws, and is empty where there is nothing to draw.
    A command that shows its output by itself, such as a server, returns an exit code.
    """

    EXAMPLES: str
    PICTURE: str

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command; --json, --cite and --plot are common to all."""

    def run(self, options: argparse.Namespace) -> Result | int:
        """Do what the options ask for."""


def number(value: float) -> str:
    """Return a bound as it is shown in tables."""
    return "infinite" if math.isinf(value) else f"{value:.12g}"


def finite(value: float) -> float | str:
    """Return a bound as it is written in JSON, which has no infinity."""
    return value if math.isfinite(value) else "infinity"


def check_output() -> None:
    """Raise if standard output cannot be written to, before any work is done.

    Raises:
        InvalidInput: with the reason of the system.
    """
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # it is no file of the system
        return
    reason = None
    try:
        # To write nothing is an error where to write anything would be one.
        os.write(descriptor, b"")
        if (
            hasattr(os, "fstatvfs")
            and stat.S_ISREG(os.fstat(descriptor).st_mode)
            and os.fstatvfs(descriptor).f_bavail == 0
        ):
            reason = os.strerror(errno.ENOSPC)
    except OSError as error:
        reason = error.strerror or "input or output error"
    if reason is not None:
        raise InvalidInput(f"Standard output cannot be written to ({reason.lower()}), so nothing was begun; make room.")


def print_result(result: Result, options: argparse.Namespace) -> None:
    """Print a result in the form that the options ask for."""
    if options.json:
        print(json.dumps(result.document, allow_nan=False))
    elif options.cite:
        from epstar.citations import bibliography

        print(bibliography(result.rests_on))
    else:
        from rich.console import Console
        from rich.table import Table

        class Shown(Console):
            def on_broken_pipe(self) -> None:
                # Left to the caller: the exit code of this class would read as an answer.
                raise BrokenPipeError

        # Labels are shown as they are, whatever brackets and colons they hold. No number is cut: on a terminal it is
        # folded into the next line, and in a pipe lines are as long as they need to be.
        console = Shown(markup=False, emoji=False)
        if not console.is_terminal:
            console.width = _WIDEST
        for part in result.shown:
            if isinstance(part, Table):
                if part.title is not None:  # on lines of its own: a title is not wrapped to a narrow table
                    console.print(part.title, highlight=False, soft_wrap=True, style="bold")
                    part.title = None
                for column in part.columns:
                    column.overflow = "fold"
            console.print(part, highlight=False, soft_wrap=isinstance(part, str))
