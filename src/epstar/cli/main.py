"""`epstar`: its commands, what is common to them, and their exit codes."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NoReturn, cast

if TYPE_CHECKING:
    from epstar.cli.result import CommandModule

_EPILOG = """\
examples:
  epstar solve --notion differential_privacy --prior 0.4,0.3,0.2,0.1 --distortion 0.2
  epstar solve problem.json --json > answer.json
  epstar check answer.json
  epstar curve --notion maximal_leakage --prior 0.5,0.3,0.2 --points 50 --plot curve.html
  epstar convert --notion dp --loss 1 --size 4 --to maximal_leakage

Every command takes its question as options or as a JSON file, - for standard input; it prints a table, or JSON with
--json, or with --cite the papers behind the answer in BibTeX. `epstar COMMAND --help` has examples.

exit codes:
  0    done: the answer is proven
  1    refuted: a proof does not hold, or a claim is exceeded
  2    bad input: an option, a file or a number that makes no sense; or a part that is not installed
  3    no solution: provably, no mechanism does what you ask
  4    a limit of time or memory: what was proven so far is printed
  5    undecided: a solver gave up, or two numbers could not be told apart
  130  interrupted
"""


@dataclass(frozen=True)
class Command:
    """A command, what it is for, and the module that runs it; the module is loaded when the command is asked for."""

    name: str
    summary: str
    module: str

    def load(self) -> CommandModule:
        """Return the module."""
        return cast("CommandModule", import_module(self.module))


COMMANDS = (
    Command("solve", "answer one question, with a proof", "epstar.cli.solve"),
    Command("curve", "compute the trade-off at many points", "epstar.cli.curve"),
    Command("audit", "measure what a mechanism or a program loses", "epstar.cli.audit"),
    Command("refine", "decide whether one mechanism is at least as private as another", "epstar.cli.refine"),
    Command("check", "check the proof in an answer", "epstar.cli.check"),
    Command("export", "write an answer as a theorem or a certificate for other checkers", "epstar.cli.export"),
    Command("convert", "translate a guarantee from one notion into another", "epstar.cli.convert"),
    Command("query", "find the best mechanism for the answer of a query", "epstar.cli.query"),
    Command("plan", "find the loss that a precision needs, before you release anything", "epstar.cli.plan"),
    Command("release", "make a table that may be shared from a private one", "epstar.cli.release"),
    Command("estimate", "estimate frequencies of the private table from the released one", "epstar.cli.estimate"),
    Command("ledger", "show what every record has lost in all releases so far", "epstar.cli.ledger"),
    Command("report", "write a page about a release, to hand on with it", "epstar.cli.report"),
    Command("theorem", "recompute a claim of a paper", "epstar.cli.theorem"),
    Command("reproduce", "recompute the figures of a paper, as data and pictures", "epstar.cli.reproduce"),
    Command("notions", "list the ways to measure privacy loss, and what each asks", "epstar.cli.notions"),
    Command("schema", "print the schema of a JSON document that epstar reads or writes", "epstar.cli.schema"),
    Command("serve", "open the explorer in a browser", "epstar.cli.serve"),
    Command("demo", "solve a built-in example under every notion", "epstar.cli.demo"),
    Command("completion", "print a script that lets a shell complete these commands", "epstar.cli.completion"),
)


class _Once(argparse.Action):
    """Stores a value, and refuses a second one: which of the two is meant cannot be told."""

    _is_given = False

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        if option is not None and self._is_given:
            parser.error(f"{option} is given twice; leave one of the two out")
        self._is_given = option is not None
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, and that takes each value once."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for name in (None, "store"):
            self.register("action", name, _Once)

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        """Add an option; what others call epsilon is the loss."""
        return super().add_argument(*names, *(("--epsilon",) if "--loss" in names else ()), **options)

    def error(self, message: str) -> NoReturn:
        message = _plainly(message)
        self.exit(2, f"epstar: {message[:1].upper()}{message[1:]}; see `{self.prog} --help`.\n")

    def known_options(self) -> list[str]:
        """Return the options, as they are typed."""
        return [name for action in self._actions if action.help != argparse.SUPPRESS for name in action.option_strings]


_PLAIN = (
    (r"argument ([^/\s]+)\S*: invalid int value: (.*)", r"\1 takes a whole number, such as 3, not \2"),
    (r"argument ([^/\s]+)\S*: invalid float value: (.*)", r"\1 takes a number, such as 0.5, not \2"),
    (r"argument ([^/\s]+)\S*: expected .*argument", r"\1 needs a value after it"),
    (r"argument ([^/\s]+)\S*: not allowed with argument (\S+)", r"\1 and \2 cannot be given together"),
    (r"the following arguments are required: (.*)", r"nothing was given for \1"),
)
"""What the parser says, and the same in plain words that name options as they are typed."""


def _plainly(message: str) -> str:
    for said, plain in _PLAIN:
        if re.fullmatch(said, message):
            return re.sub(said, plain, message)
    wrong = re.fullmatch(r"argument ([^/\s]+)\S*: invalid choice: '(.*)' \(choose from (.*)\)", message)
    if wrong is None:
        return message
    from epstar.names import suggestion

    option, given, choices = wrong[1], wrong[2], wrong[3].replace("'", "").split(", ")
    return f"{option} cannot be {given!r}{suggestion(given, choices)}; choose from {', '.join(choices)}"


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: package metadata is slow to read."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"epstar {version('epstar')}")
        parser.exit()


class _Cite(argparse.Action):
    """Prints how to cite epstar."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from epstar.citations import bibliography

        print(bibliography())
        parser.exit()


def build_parser(asked: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of the command line, with the options of the commands that are asked for."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = Parser(
        prog="epstar",
        description="The least privacy loss for a given accuracy, the mechanism that achieves it, and a proof of both.",
        epilog=_EPILOG,
        formatter_class=raw,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    parser.add_argument("--cite", action=_Cite, nargs=0, help="show how to cite epstar, in BibTeX, and exit")
    parsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    for command in COMMANDS:
        added = parsers.add_parser(
            command.name, help=command.summary, description=_sentence(command.summary), formatter_class=raw
        )
        added.allow_abbrev = False
        if command.name in asked:
            module = command.load()
            added.epilog = "examples:\n" + "".join(f"  {line}\n" for line in dedent(module.EXAMPLES).splitlines())
            module.add_options(added)
            _add_common_options(added, module.PICTURE)
    return parser


def _sentence(summary: str) -> str:
    return f"{summary[:1].upper()}{summary[1:]}."


def _add_common_options(parser: argparse.ArgumentParser, picture: str) -> None:
    """Add the ways to show a result, which are the same for every command."""
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="print JSON instead of a table")
    forms.add_argument("--cite", action="store_true", help="print what to cite for this answer, in BibTeX")
    if picture:
        parser.add_argument("--plot", metavar="FILE", help=f"draw {picture} into FILE (.svg, .png, .pdf or .html)")


_GREETING = """\
epstar: the least privacy loss for a given accuracy, the mechanism that achieves it, and a proof of both.

  epstar solve --notion dp --prior 0.4,0.3,0.2,0.1 --distortion 0.2    answer one question
  epstar serve                                                         explore trade-offs in a browser
  epstar release --help                                                protect a table that you hold
  epstar audit --help                                                  check a mechanism that you were handed
  epstar notions                                                       the ways to measure privacy loss

`epstar --help` lists all commands, and `epstar COMMAND --help` has examples of each.
"""


def _unknown(words: Sequence[str], known: Sequence[str]) -> str:
    """What to say of words that no option takes: the first of them, and the option that it may have meant."""
    from epstar.names import suggestion

    word = words[0].partition("=")[0]
    if not word.startswith("-"):
        return f"{words[0]!r} stands where nothing more is expected; separate the parts of a list by commas"
    return f"there is no option {word}{suggestion(word, known)}"


def _command(given: Sequence[str]) -> str:
    """The command that is asked for; options come after it, so its name is the first word that is not one."""
    name = next((word for word in given if not word.startswith("-")), "")
    names = [command.name for command in COMMANDS]
    if name and name not in names:
        from epstar.names import suggestion

        Parser(prog="epstar").error(f"there is no command {name!r}{suggestion(name, names)}")
    return name


def _parsed(given: Sequence[str]) -> argparse.Namespace:
    name = _command(given)
    parser = build_parser([name])
    options, more = parser.parse_known_args(given)
    if more:
        parsers = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
        chosen = parsers.choices[name]
        chosen.error(_unknown(more, chosen.known_options()))
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = argparse.Namespace()
    try:
        _open_closed()
        _check_text(given)
        if not given:
            print(_GREETING, end="", flush=True)
            return 0
        options = _parsed(given)
        return _run(next(command for command in COMMANDS if command.name == options.command), options)
    except BrokenPipeError:
        # The reader went away with what it wanted.
        _silence()
        return 0
    except KeyboardInterrupt:
        code, message = 130, "Stopped; nothing unfinished was written."
    except Exception as error:
        from epstar.errors import EpstarError
        from epstar.extras import explained

        said = explained(error) if isinstance(error, ModuleNotFoundError) else error
        if not isinstance(said, EpstarError):
            raise
        code, message = _exit_code(said), _as_typed(str(said), options)
    _complain(message)
    return code


def _complain(message: str) -> None:
    with suppress(OSError):  # there is nobody else to tell
        print(f"epstar: {message}", file=sys.stderr, flush=True)


def _as_typed(message: str, options: argparse.Namespace) -> str:
    """The message with options named as they are typed: what is `force` in Python is `--force` here."""

    def typed(found: re.Match[str]) -> str:
        return f"`--{found[1].replace('_', '-')}`" if found[1] in vars(options) else found[0]

    return re.sub(r"`(\w+)`", typed, message)


def _check_text(words: Sequence[str]) -> None:
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            from epstar.errors import InvalidInput

            raise InvalidInput(
                "An argument holds bytes that are not text in UTF-8; write it in that encoding, or rename the file."
            ) from None


def _open_closed() -> None:
    """Lead standard streams that are closed to nowhere, so that no file that is opened later takes their place."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", closefd=False))


def _silence() -> None:
    """Lead standard output to nowhere: the interpreter must not try again to write what is left in its buffer."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(command: Command, options: argparse.Namespace) -> int:
    from epstar.cli.result import Result, check_output, print_result
    from epstar.errors import InvalidInput

    file = getattr(options, "plot", None)
    if file is not None:
        from epstar.plot import check_target

        check_target(file)
    check_output()
    result = command.load().run(options)
    done, code = (result.done, result.code) if isinstance(result, Result) else ("", result)
    try:
        if isinstance(result, Result):
            if file is not None and result.draw is not None:
                result.draw(file)
            print_result(result, options)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, KeyboardInterrupt) as error:
        reason = (error.strerror if isinstance(error, OSError) else "interrupted") or "input or output error"
        _silence()
        if done:
            # What was done cannot be undone, and is no failure.
            _complain(f"{done} Only this could not be printed ({reason.lower()}); do not run it again.")
        elif isinstance(error, OSError):
            raise InvalidInput(f"Standard output cannot be written to ({reason.lower()}); make room there.") from None
        else:
            raise
    return code


def _exit_code(error: Exception) -> int:
    from epstar.cli.result import BAD_INPUT, LIMIT, NO_SOLUTION, REFUTED, UNDECIDED
    from epstar.errors import NoSolution, ProofRejected, SolverFailure, TimeLimit, Undecided

    codes: tuple[tuple[type[Exception] | tuple[type[Exception], ...], int], ...] = (
        (ProofRejected, REFUTED),
        (NoSolution, NO_SOLUTION),
        (TimeLimit, LIMIT),
        ((SolverFailure, Undecided), UNDECIDED),
    )
    return next((code for kind, code in codes if isinstance(error, kind)), BAD_INPUT)


if __name__ == "__main__":
    sys.exit(main())
