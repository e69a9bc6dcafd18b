"""`epstar release`: a private table in, a table that may be shared out."""

from __future__ import annotations

import argparse
import math
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from epstar.cli.column_options import add_column_options
from epstar.cli.columns import declared_columns
from epstar.cli.options import described_notion, notion_names, options_in_file, words
from epstar.cli.progress import progress
from epstar.cli.result import BAD_INPUT, Result, finite
from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import Rational, float_above
from epstar.exact.vectors import sum_of
from epstar.mechanism import Mechanism, TopRandomisedResponse
from epstar.names import COSTS
from epstar.notions import DifferentialPrivacy, from_problem
from epstar.problem_file import read_distortion
from epstar.release import Account, Column, Entry, Ledger, Release, by_position, rehearse
from epstar.release import release as released
from epstar.release.document import column_of
from epstar.release.report.summary import summary
from epstar.release.secret_entry import level_of
from epstar.release.settings import Options
from epstar.statistic import Statistic

FREQUENCIES = "frequencies"
EXAMPLES = """\
epstar release data.parquet --column disease --categories flu,cold,none --loss 1.0 -o out.parquet
epstar release data.csv --column disease --counts public.csv --notion leakage --loss "log(2)" -o out.csv
epstar release data.csv --column disease,sex --categories disease=flu,cold,none --categories sex=f,m \\
    --loss 1 --keep town -o out.csv
epstar release data.csv --column sex --categories f,m --loss 1 --ledger releases.ledger --budget 3 -o out.csv
epstar release data.csv --column sex --categories f,m --loss 1 --key secret.key --identifier person -o out.csv
epstar release data.csv --column age,sex --bins age=0,18,65,120 --categories sex=f,m --total-loss 2 -o out.csv
epstar release data.csv --column sex --mechanism pram.csv --prior 0.6,0.4 --invariant -o out.csv
epstar release data.csv --column postcode --secret income --public census.csv --categories postcode=@postcodes.txt \\
    --categories income=low,high --loss 1 -o out.csv
epstar release data.csv --joint postcode,income --secret income --public census.csv --categories income=low,high \\
    --categories postcode=@postcodes.txt --loss 1 -o out.csv
epstar release job.json"""
PICTURE = "the mechanism of the first column"
# What a job file may give for each column.
_OF_COLUMNS = (
    "categories",
    "bins",
    "points",
    "prior",
    "counts",
    "public",
    "mechanism",
    "sets",
    "secret",
    "loss",
    "missing",
    "other",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the table, its columns and the guarantee."""
    parser.add_argument(
        "table",
        help="CSV, Parquet or Arrow (.csv, .tsv, .parquet, .arrow, text also .gz and .zst), or a folder of such files; "
        "or a JSON file (- for standard input) that holds the table and the options by their names",
    )
    add_column_options(parser)
    parser.add_argument("--notion", metavar="NAME", help=f"{notion_names()} (default: dp)")
    parser.add_argument("--order", help="the order of a Rényi or Sibson notion")
    parser.add_argument("--delta", help="the slack δ of an approximate notion")
    parser.add_argument(
        "--cost",
        choices=(*COSTS, FREQUENCIES),
        help="what to keep small: how often values change (hamming, the default), by how much, or the error of the "
        "frequencies that are estimated from them (frequencies: answers may be sets of categories)",
    )
    parser.add_argument(
        "--by-position",
        action="store_true",
        help="take an absolute or squared cost between the positions of the categories in their list",
    )
    parser.add_argument(
        "--keep", action="extend", type=words, metavar="A,B,...", help="other columns to pass through, unprotected"
    )
    parser.add_argument("--keep-others", action="store_true", help="pass all other columns through, unprotected")
    parser.add_argument(
        "--drop-others",
        action=_Gone,
        nargs=0,
        dest=argparse.SUPPRESS,
        default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
    )
    parser.add_argument("--separator", metavar="S", help="the separator of a text table: a character, or the word tab")
    parser.add_argument("--encoding", help="the encoding of a text table (default: utf-8); the output is always utf-8")
    parser.add_argument("-o", "--output", help="the table to write; its description goes to OUTPUT.release.json")
    parser.add_argument(
        "--key",
        metavar="FILE",
        help="draw permanent answers with the secret key in this private file, which epstar makes if there is none",
    )
    parser.add_argument(
        "--identifier", metavar="COLUMN", help="the column that says whose row it is, for permanent answers"
    )
    parser.add_argument(
        "--ledger", metavar="FILE", help="count the release in this private file, and refuse a second one of the table"
    )
    parser.add_argument("--budget", metavar="L", help="what a record may lose by all releases of a new ledger, in nats")
    parser.add_argument("--again", action="store_true", help="count a second release of the table in the ledger")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be released, unprotected and lost; write nothing"
    )
    parser.add_argument(
        "--bad-rows",
        metavar="FILE",
        help="in a dry run, list the places of values without a category in this new private file",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace the output if it exists: a second answer of each record"
    )


class _Gone(argparse.Action):
    """An option that is no longer needed."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        parser.error("--drop-others is what happens now unless --keep names a column, so leave it out")


def run(options: argparse.Namespace) -> Result:
    """Write the table with the chosen columns sampled from their optimal mechanisms."""
    options_in_file(options, "table", ("column", "joint", "keep"), _OF_COLUMNS)
    if options.output is None:
        raise InvalidInput("A release needs --output; give it, for instance --output out.csv.")
    notion = from_problem(described_notion(options.notion or "dp", options.order, options.delta))
    if options.total_loss is not None and not isinstance(notion, DifferentialPrivacy):
        raise InvalidInput("A total is split over columns by differential privacy, whose losses add up; give --loss.")
    columns = declared_columns(options)
    settings: Options = {
        "notion": notion,
        "distortion": _distortion(options),
        "keep": words(options.keep or []),
        "keep_others": options.keep_others,
        "key": options.key,
        "identifier": options.identifier,
        "ledger": options.ledger,
        "budget": options.budget,
        "again": options.again,
    }
    if options.dry_run:
        return _rehearsed(options, columns, settings)
    if options.bad_rows is not None:
        raise InvalidInput("Bad rows are looked for before a release; give --dry-run with --bad-rows.")
    # A keyed release may give the same answers again, which cost nothing: the ledger knows, and says so when asked.
    is_again = options.ledger is not None and options.key is None
    counted = Ledger.at(options.ledger).account().entries if is_again else ()
    with _stoppable() as go_through, progress("releasing", "rows") as step:
        told: list[Result] = []

        def committing(done: Release) -> None:
            # Whatever may fail is tried before the table has its name: afterwards it is released, come what may.
            if options.plot is not None:
                _draw(done, options.plot)
            told.append(_result(done, counted))
            go_through()

        released(
            options.table,
            options.output,
            columns,
            force=options.force,
            separator=options.separator,
            encoding=options.encoding or "utf-8",
            **settings,
            progress=None if step is None else lambda rows: step(rows, None),
            committing=committing,
        )
    return told[0]


def _rehearsed(options: argparse.Namespace, columns: list[Column], settings: Options) -> Result:
    if options.plot is not None:
        raise InvalidInput("A dry run draws nothing; leave --plot out.")
    with progress("reading", "rows") as step:
        found = rehearse(
            options.table,
            options.output,
            columns,
            force=options.force,
            separator=options.separator,
            encoding=options.encoding or "utf-8",
            **settings,
            bad_rows=options.bad_rows,
            progress=None if step is None else lambda rows: step(rows, None),
        )
    about = summary(found.release)
    sentence = f"A dry run: {found.release.rows} rows would be released to {found.release.output}; nothing was written."
    bad = "Every value has a category."
    if found.bad:
        where = "" if options.bad_rows is None else f"; {options.bad_rows} says where"
        values = "1 value has" if found.bad == 1 else f"{found.bad} values have"
        bad = f"{values} no category, so that the release would be refused{where}."
    document = {
        "schema": "epstar/rehearsal/1",
        "output": str(found.release.output),
        "rows": found.release.rows,
        "without_category": found.bad,
        **about.to_json(),
    }
    silent = (_never_released(column_of(entry)) for entry in found.release.document["columns"])
    shown = (sentence, bad, *about.sentences(), *filter(None, silent), *about.warnings())
    return Result(document, shown, "", code=BAD_INPUT if found.bad else 0)


def _result(done: Release, counted: Sequence[Entry]) -> Result:
    about, upper = summary(done), done.document["per_record"]["upper"]
    sentence = (
        f"{done.rows} rows released to {done.output}; what was done and what it guarantees is in {done.release_file}."
    )
    written: dict[str, object] = {
        "schema": "epstar/released/1",
        "output": str(done.output),
        "release_file": str(done.release_file),
        "rows": done.rows,
        **about.to_json(),
    }
    rests_on = ", ".join(key for column in done.document["columns"] for key in column["citations"])
    silent = (_never_released(column_of(entry)) for entry in done.document["columns"])
    warnings = tuple(about.warnings())
    if counted:
        known = [entry.loss for entry in counted if entry.loss is not None]
        is_limited = len(known) == len(counted) and upper != "infinity"
        total = float_above(sum_of([*known, Rational(*float(upper).as_integer_ratio())])) if is_limited else math.inf
        written["per_record_in_ledger"] = finite(total)
        loses = f"at most {total:.6g} nats" if is_limited else "without limit"
        ledger = (
            f"By the ledger, a record that is in all tables has now given {len(counted) + 1} answers, and loses "
            f"{loses} by all of them together."
        )
        warnings = (*warnings, ledger, *_about_secrets(done.document, counted))
    shown = (sentence, *about.sentences(), *filter(None, silent), *warnings)
    return Result(written, shown, rests_on, done=f"The table WAS released to {done.output}.")


def _about_secrets(document: Mapping[str, Any], counted: Sequence[Entry]) -> list[str]:
    """What all releases of a ledger tell about each secret that the new one, or an earlier one, protects."""
    now = {each["name"]: level_of(each["upper"]) for each in document.get("per_secret", ())}
    entry = Entry("", (), "", level_of(document["per_record"]["upper"]), "", (), tuple(now.items()))
    found = []
    for name, lost in Account(None, (*counted, entry)).secrets.items():
        told = "without limit" if lost is None else f"at most {float_above(lost):.6g} nats"
        found.append(f"About {name}, all of them together lose {told}, by differential privacy.")
    return found


def _distortion(options: argparse.Namespace) -> Distortion | None:
    if options.cost is None and not options.by_position:
        return None
    if options.cost == FREQUENCIES:
        if options.by_position:
            raise InvalidInput("Frequencies know no positions; leave --by-position out.")
        # The best mechanism is the same for any number of rows.
        return Statistic.frequencies(rows=1)
    distortion = read_distortion({"name": options.cost or "hamming"})
    return by_position(distortion) if options.by_position else distortion


def _draw(done: Release, file: str) -> None:
    from epstar.plot import plot_mechanism

    mechanism = column_of(done.document["columns"][0]).mechanism
    assert mechanism is not None
    plot_mechanism(mechanism, file)


def _never_released(column: Column) -> str:
    """What a person should know before the table is used: values that the best mechanism never gives out."""
    mechanism = column.mechanism
    if isinstance(mechanism, TopRandomisedResponse):
        count = column.size - len(mechanism.active)
    elif isinstance(mechanism, Mechanism):
        count = int((mechanism.floats == 0).all(axis=0).sum())
    else:
        return ""
    if count == 0:
        return ""
    instead = (
        "allow a larger loss" if column.secret is not None else "allow a larger loss, or ask for --every-category,"
    )
    return (
        f"{count} of the {column.size} categories of {', '.join(column.names)} are never released, and frequencies can "
        f"be estimated only together with theirs; {instead} to keep them."
    )


@contextmanager
def _stoppable() -> Iterator[Callable[[], None]]:
    """Let a request to terminate end the release as an error would, so that what is unfinished is removed.

    Gives a function after which the release goes through: who asks it to stop then is not heard before it is done.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None  # only the main thread hears signals
        return

    def stop(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    def go_through() -> None:
        for kind in before:
            signal.signal(kind, signal.SIG_IGN)

    before = {signal.SIGINT: signal.getsignal(signal.SIGINT), signal.SIGTERM: signal.signal(signal.SIGTERM, stop)}
    try:
        yield go_through
    except SystemExit:
        print("epstar: Stopped; nothing unfinished was written.", file=sys.stderr)
        raise
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
