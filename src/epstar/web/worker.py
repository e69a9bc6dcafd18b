"""The process in which a job runs, and its end of the pipe."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, Literal

from epstar.errors import EpstarError, InvalidInput, MissingExtra, NoSolution, SolverFailure, TimeLimit, Undecided
from epstar.json_document import parse_json
from epstar.web.error_boundary import ErrorBoundary
from epstar.web.limits import Limits
from epstar.web.question import PLACE

Message = tuple[Literal["ready", "progress", "partial", "done", "failed"], Any]

UNEXPECTED = "The computation ended unexpectedly; ask about something smaller, or report it."
_SECONDS_BETWEEN_REPORTS = 0.1


@dataclass
class Context:
    """What a task may know of the job it runs in: the limits, when to stop, and how to say how far it is.

    `share` hands on what is found so far, to be shown before the rest: a document, made only if it is time to.
    """

    limits: Limits
    deadline: float
    report: Callable[[int, int], None]
    share: Callable[[Callable[[], object]], None] = lambda make: None

    @property
    def seconds_left(self) -> float:
        """The time that is left, a little short of all of it, so that what was found so far can still be sent."""
        return max(0.1, (self.deadline - time.monotonic()) * 0.9)

    @property
    def is_over(self) -> bool:
        """Whether so little time is left that what was found has to be sent."""
        return time.monotonic() > self.deadline - 0.1 * self.limits.seconds

    def step(self, done: int, total: int) -> None:
        """Say how much is done.

        Raises:
            TimeLimit: if the time is over and the work is not.
        """
        self.report(done, total)
        if done < total and self.is_over:
            raise TimeLimit(
                f"The time limit of {self.limits.seconds:g} seconds passed after {done} of {total} parts; "
                "ask for fewer points, or a smaller alphabet."
            )


def serve(connection: Connection, limits: Limits) -> None:
    """Answer jobs until the other end of the pipe is closed."""
    # An interrupt at the terminal is for the server, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory(limits.memory)
    # What the first question needs is imported before it comes, outside its time limit.
    import_module("epstar.solve")
    from epstar.web.tasks import PLACES, find_task

    first, *others = PLACES
    import_module(first)
    with suppress(BrokenPipeError, EOFError, OSError):
        connection.send(("ready", None))
        while True:
            # What later questions need is imported while nobody asks.
            while others and not connection.poll():
                import_module(others.pop(0))
            name, text = connection.recv()
            connection.send(_answer(connection, limits, find_task(name), text))


def _answer(connection: Connection, limits: Limits, task: Callable[[Any, Context], object], text: str) -> Message:
    latest = 0.0

    def report(done: int, total: int) -> None:
        nonlocal latest
        if time.monotonic() - latest > _SECONDS_BETWEEN_REPORTS:
            latest = time.monotonic()
            connection.send(("progress", (done, total)))

    shared = 0.0

    def share(make: Callable[[], object]) -> None:
        nonlocal shared
        if time.monotonic() - shared > _SECONDS_BETWEEN_REPORTS:
            shared = time.monotonic()
            connection.send(("partial", json.dumps(make(), allow_nan=False).encode()))

    context = Context(limits, time.monotonic() + limits.seconds, report, share)
    with ErrorBoundary("answer a question"):
        try:
            result = task(parse_json(text, PLACE), context)
            return "done", json.dumps(result, allow_nan=False).encode()
        except EpstarError as error:
            return "failed", (_status(error), str(error))
        except MemoryError:
            return "failed", (422, "This takes more memory than the server allows; ask about something smaller.")
    return "failed", (500, UNEXPECTED)


def _status(error: EpstarError) -> int:
    match error:
        case InvalidInput() | NoSolution():
            return 422
        case TimeLimit():
            return 504
        case MissingExtra():
            return 501
        case SolverFailure() | Undecided():
            return 503
        case _:
            return 422


def _bound_memory(most: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
