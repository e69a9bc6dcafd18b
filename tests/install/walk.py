"""Runs every command with each of its options, one by one, and says what came of it.

It is run by the interpreter of an environment that holds epstar alone, so that it imports nothing else. Commands and
options are those that the parser knows: a new one is walked without being named here.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import traceback
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from tempfile import TemporaryDirectory

from epstar.cli.main import COMMANDS, build_parser, main

PRIOR = ["--prior", "0.4,0.3,0.2,0.1"]
# What a command has to be asked so that it gets to work; a command without a line here is asked nothing.
ASKED: dict[str, list[str]] = {
    "solve": ["--notion", "dp", *PRIOR, "--distortion", "0.2"],
    "curve": ["--notion", "dp", *PRIOR, "--points", "4"],
    "audit": ["mechanism.csv"],
    "check": ["answer.json"],
    "convert": ["--notion", "dp", "--loss", "1", "--size", "3", "--to", "leakage"],
    "query": ["--name", "count", "--individuals", "3", "--values", "2", "--loss", "log(2)"],
    "release": ["table.csv", "--column", "disease", "--categories", "flu,cold", "--loss", "1", "-o", "out.csv"],
    "estimate": ["first.csv", "--column", "disease"],
    "report": ["first.csv.release.json", "-o", "report.html"],
    "theorem": ["kalantari2018:lemma-1"],
    "reproduce": ["kalantari2018", "table1", "-o", "figures"],
    "completion": ["bash"],
}
# Tried where the parser says no more about a value: a number, a word, files that are there and names that are free.
VALUES = ("1", "disease", "table.csv", "new.svg", "new.html")


def options_of(command: str) -> list[argparse.Action]:
    """The options of a command, as its parser has them."""
    parser = build_parser([command])
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return [action for action in commands.choices[command]._actions if action.option_strings]


def values(option: argparse.Action) -> list[list[str]]:
    """The words to try after the name of an option."""
    if option.nargs == 0:
        return [[]]
    if option.choices is not None:
        return [[str(choice)] for choice in option.choices]
    # What is written into a file does not depend on a name that no file can have.
    tried = VALUES[2:] if option.dest in ("output", "plot") else VALUES
    return [[value] for value in tried]


def requests() -> Iterator[list[str]]:
    """Every command by itself, as it is asked to work, and so with each option and each way to use it."""
    for command in COMMANDS:
        asked = [command.name, *ASKED.get(command.name, [])]
        yield from [[command.name], asked] if len(asked) > 1 else [asked]
        for option in options_of(command.name):
            for words in values(option):
                yield [*asked, option.option_strings[-1], *words]


class Ending:
    """How a block ended: whatever it raised is kept here and goes no further."""

    error: BaseException | None = None

    def __enter__(self) -> Ending:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        self.error = error
        return True


def outcome(request: list[str], files: str) -> dict[str, object]:
    """What a command said and returned in a folder of its own, and where it broke if it did."""
    err, code = StringIO(), -1
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(err):
        shutil.copytree(files, folder, dirs_exist_ok=True)
        with chdir(folder), Ending() as ending:
            code = main(request)
    error, trace = ending.error, ""
    if isinstance(error, SystemExit) and isinstance(error.code, int):
        code = error.code
    elif error is not None:
        trace = "".join(traceback.format_exception(error))
    return {"request": request, "code": code, "said": err.getvalue(), "trace": trace}


if __name__ == "__main__":
    sys.stdin = StringIO()
    json.dump([outcome(request, sys.argv[1]) for request in requests()], sys.stdout)
