"""`epstar check`: whether a proof establishes what it claims."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from epstar.cli.progress import progress
from epstar.cli.result import LIMIT, Result, finite, number
from epstar.deadline import Deadline
from epstar.errors import EpstarError, InvalidInput, TimeLimit
from epstar.json_document import read_json
from epstar.memory import MEBIBYTE, Memory, TooLarge, in_use
from epstar.proof_file.limits import MOST_BYTES, SECONDS, check_content
from epstar.statement import Statement, established

EXAMPLES = """\
epstar check answer.json
epstar check curve.json
epstar check released.csv.release.json
epstar solve problem.json --json | epstar check -"""
PICTURE = "the mechanism of the proof"
_TRIPPED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
_GRACE, _LONGEST = 10.0, 1e6
# Of memory: so much for any document, and so much more for each of its bytes.
_MEMORY, _MEMORY_OF_BYTE = 512 * MEBIBYTE, 64


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the file to check."""
    parser.add_argument(
        "answer", help="an answer, a curve, breakpoints, a release file or a proof in JSON; - for standard input"
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        default=SECONDS,
        metavar="SECONDS",
        help=f"stop then, and say nothing about the proof (default: {SECONDS:g})",
    )


def run(options: argparse.Namespace) -> Result:
    """Check a proof and say what it establishes.

    Raises:
        TimeLimit: if it was not checked in time.
    """
    length = 0

    def counted(content: bytes) -> None:
        nonlocal length
        length = len(content)
        check_content(content)

    document, deadline = read_json(options.answer, counted, MOST_BYTES + 1), Deadline(options.time_limit)
    memory = Memory(in_use() + _MEMORY + _MEMORY_OF_BYTE * length)
    try:
        with progress("checking"), deadline.kept(), memory.kept(), _watched(options.time_limit):
            return checked(document)
    except TooLarge:
        raise InvalidInput(
            f"The document has {length} bytes, and checking it would take more memory than that many may ask for; "
            "check its parts one by one."
        ) from None
    except TimeLimit:
        raise TimeLimit(
            f"The proof was not checked within {number(options.time_limit)} seconds, which says nothing about it; "
            "raise the limit."
        ) from None
    except EpstarError:
        raise
    except _TRIPPED as error:
        # A document may be made to trip a checker; that is no verdict on a proof.
        raise InvalidInput(f"The document cannot be read: {type(error).__name__}; write it again.") from None


@contextmanager
def _watched(seconds: float) -> Iterator[None]:
    """End the process where work does not ask for the time: a moment after it should have ended by itself."""

    def give_up() -> None:
        print("epstar: The time limit passed, which says nothing about the proof.", file=sys.stderr, flush=True)
        os._exit(LIMIT)

    watch = threading.Timer(min(seconds, _LONGEST) + _GRACE, give_up)
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def checked(document: object) -> Result:
    """Return what a document establishes.

    Raises:
        EpstarError: if that is nothing.
    """
    return _told(established(document), document)


def _told(found: Statement, document: object) -> Result:
    mechanism = found.mechanism

    def draw(file: str) -> None:
        from epstar.plot import plot_mechanism

        if mechanism is not None:
            plot_mechanism(mechanism, file)

    ends = [None if one is None else [finite(one.lower.lower), finite(one.upper.upper)] for one in found.intervals]
    told: dict[str, object] = {"schema": "epstar/check/1", "holds": True, "proven": list(found.sentences)}
    if found.about:
        told["about"] = found.about
    if found.is_curve:
        told["points"] = ends
    elif ends and ends[0] is not None:
        told["lower"], told["upper"] = ends[0]
    # An answer names the theorem that it rests on; a proof alone needs none.
    theorem = str(document.get("theorem", "")) if isinstance(document, dict) else ""
    return Result(told, ("The proof holds.", *filter(None, (found.about,)), *found.sentences), theorem, draw)
