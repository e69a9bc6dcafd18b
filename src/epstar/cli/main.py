"""`epstar`: the commands, their exit codes, and nothing else.

Exit codes: 0 a proven answer, 1 a proof that does not hold, 2 bad input, 3 no solution, 4 a time limit (with the
interval proven so far).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from epstar.cli.options import add_output_options, add_problem_options

_EXAMPLES = """\
examples:
  epstar solve --notion differential_privacy --prior 0.4,0.3,0.2,0.1 --distortion 0.2
  epstar solve problem.json --json > answer.json
  epstar check answer.json
  epstar curve --notion maximal_leakage --prior 0.5,0.3,0.2 --distortion 0.1,0.2,0.3

exit codes: 0 proven, 1 proof rejected, 2 bad input, 3 no solution, 4 time limit
"""


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: package metadata is slow to read."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"epstar {version('epstar')}")
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="epstar",
        description="How much privacy must be lost to keep data this useful, and which mechanism loses no more.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    raw = argparse.RawDescriptionHelpFormatter

    solve = commands.add_parser(
        "solve",
        help="answer one question, with a proof",
        formatter_class=raw,
        epilog="example: epstar solve --notion dp --prior 0.4,0.3,0.2,0.1 --distortion 0.2",
    )
    add_problem_options(solve)
    add_output_options(solve)
    solve.add_argument("--method", choices=("closed form", "program"), help="force a way to solve it")
    solve.add_argument("--time-limit", type=float, metavar="SECONDS", help="stop after this long")

    curve = commands.add_parser(
        "curve",
        help="the trade-off at many points",
        formatter_class=raw,
        epilog="examples:\n"
        "  epstar curve --notion dp --prior 0.4,0.3,0.2,0.1 --distortion 0.1,0.2,0.3\n"
        "  epstar curve --notion dp --prior 0.4,0.3,0.2,0.1 --points 100 --plot curve.svg",
    )
    add_problem_options(curve)
    add_output_options(curve)
    curve.add_argument("--points", type=int, metavar="N", help="this many distortions, over the whole trade-off")
    curve.add_argument("--plot", metavar="FILE", help="draw the curve into FILE (.svg, .png or .pdf)")

    check = commands.add_parser(
        "check",
        help="check the proof in an answer",
        formatter_class=raw,
        epilog="example: epstar check answer.json",
    )
    check.add_argument("answer", help="an answer or a proof in JSON; - for standard input")
    add_output_options(check)

    theorem = commands.add_parser(
        "theorem",
        help="a claim of a paper, recomputed",
        formatter_class=raw,
        epilog="example: epstar theorem kalantari2018:lemma-1",
    )
    theorem.add_argument("key", help="such as kalantari2018:lemma-1")
    add_output_options(theorem)

    reproduce = commands.add_parser(
        "reproduce",
        help="a paper's figures as data and pictures",
        formatter_class=raw,
        epilog="examples:\n  epstar reproduce kalantari2018 fig4\n  epstar reproduce --all -o figures",
    )
    reproduce.add_argument("paper", nargs="?", help="such as kalantari2018")
    reproduce.add_argument("figure", nargs="?", help="such as fig4; all of the paper's if left out")
    reproduce.add_argument("--all", action="store_true", help="every figure, and a table of verdicts")
    reproduce.add_argument("-o", "--output", default=".", metavar="FOLDER", help="where to write (here, if left out)")

    _add_table_commands(commands)
    commands.add_parser("demo", help="a built-in example, every notion in one table")
    return parser


def _add_table_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands about tables and other people's mechanisms."""
    raw = argparse.RawDescriptionHelpFormatter
    release = commands.add_parser(
        "release",
        help="a table that may be shared, from a private one",
        formatter_class=raw,
        epilog="example: epstar release data.parquet --column disease --categories flu,cold,none \\\n"
        "           --notion dp --loss 1.0 -o out.parquet",
    )
    release.add_argument("table", help="CSV or Parquet, or a folder of such files")
    release.add_argument("--column", action="append", required=True, help="a column to release; may be repeated")
    release.add_argument("--categories", metavar="A,B,...", help="the values that the columns may hold")
    release.add_argument("--counts", metavar="FILE", help="public counts (CSV: category, count): the known prior")
    release.add_argument("--confidence", help="take the counts as a sample: every prior of a confidence region")
    release.add_argument("--missing", metavar="LABEL", help="the category of missing values")
    release.add_argument("--other", metavar="LABEL", help="the category of values that are not listed")
    release.add_argument("--notion", default="dp", help="differential privacy (dp) unless given")
    release.add_argument("--order", help="order of a Renyi or Sibson notion")
    release.add_argument("--delta", help="slack of an approximate notion")
    release.add_argument("--loss", required=True, metavar="L", help="the loss allowed for each column, in nats")
    release.add_argument("--keep", action="append", metavar="COLUMN", help="pass only these other columns through")
    release.add_argument("-o", "--output", required=True, help="the table to write; beside it appears its description")
    release.add_argument("--force", action="store_true", help="replace the output if it exists")
    add_output_options(release)

    estimate = commands.add_parser(
        "estimate",
        help="frequencies of the private table, from the released one",
        formatter_class=raw,
        epilog="example: epstar estimate out.parquet --column disease",
    )
    estimate.add_argument("table", help="the released table")
    estimate.add_argument("--column", action="append", required=True, help="a column; several make a cross-tabulation")
    estimate.add_argument("--release", metavar="FILE", help="its release file, if it is not beside it")
    estimate.add_argument("--confidence", default="0.95")
    estimate.add_argument("--method", choices=("inverse", "likelihood"), default="inverse")
    add_output_options(estimate)

    audit = commands.add_parser(
        "audit",
        help="what somebody else's mechanism loses",
        formatter_class=raw,
        epilog="examples:\n  epstar audit mechanism.csv --prior 0.5,0.3,0.2\n"
        "  epstar audit --command './answer {input} {count}' --inputs yes,no --claimed 1.0",
    )
    audit.add_argument("matrix", nargs="?", help="a mechanism: CSV rows, or JSON")
    audit.add_argument("--prior", metavar="P,P,...", help="the known input law; nothing is known unless given")
    audit.add_argument("--command", dest="command_line", metavar="PROGRAM", help="a black box to ask")
    audit.add_argument("--inputs", metavar="A,B", help="two neighbouring inputs for the black box")
    audit.add_argument("--samples", type=int, default=100_000, help="answers to draw for each input")
    audit.add_argument("--confidence", default="0.999")
    audit.add_argument("--claimed", metavar="L", help="the loss that is claimed; exit 1 if it is exceeded")
    add_output_options(audit)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = build_parser().parse_args(arguments)
    from epstar.errors import EpstarError, NoSolution, ProofRejected, TimeLimit

    try:
        return _run(options)
    except BrokenPipeError:
        # The reader went away with what it wanted; the interpreter must not try to flush the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        code, message = 130, "stopped; nothing unfinished was written."
    except ProofRejected as error:
        code, message = 1, str(error)
    except NoSolution as error:
        code, message = 3, str(error)
    except TimeLimit as error:
        code, message = 4, str(error)
    except EpstarError as error:
        code, message = 2, str(error)
    print(f"epstar: {message}", file=sys.stderr)
    return code


def _run(options: argparse.Namespace) -> int:
    # Each command imports what it needs, and nothing before it is asked for.
    if options.command == "curve":
        from epstar.cli.curve import curve

        return curve(options)
    if options.command in ("theorem", "reproduce"):
        from epstar.cli import papers

        return papers.theorem(options) if options.command == "theorem" else papers.reproduce(options)
    if options.command in ("release", "estimate"):
        from epstar.cli import release

        return release.release(options) if options.command == "release" else release.estimate(options)
    if options.command == "audit":
        from epstar.cli.audit import audit

        return audit(options)
    from epstar.cli import commands

    return {"solve": commands.solve, "check": commands.check, "demo": commands.demo}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
