"""When work has to stop. Whatever may take long asks between its steps, however deep it is called.

A deadline is kept by all that runs meanwhile: a loop over many corners, outputs or multipliers says `keep_time()`, and
nobody passes a clock on. Where none is kept, as in checking a proof that somebody was given, nothing is ever cut short.
"""

from __future__ import annotations

import reprlib
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from epstar.errors import InvalidInput, TimeLimit

Item = TypeVar("Item")

# Of the time for an answer work takes this share, so that what was begun in its last moment ends in time.
WORKING = 0.9
# When time is over, what is known without any work is still looked at: for this share of it, and some seconds more.
_GRACE_SHARE, _GRACE = 0.15, 0.3
# Multiplications of dense linear algebra in a second on one core, of a slow machine rather than a fast one: a
# factorisation cannot be stopped, so that what would end too late is not begun.
_SPEED = 1e10


class Deadline:
    """A point in time after which work stops; never, if no limit was given.

    A share of the time may be spared for what is done afterwards. One made while another is kept does not end after it.
    The time is that of the clock, or that of the work done in this thread.
    """

    def __init__(self, limit: float | None, spare: float = 0.0, is_of_work: bool = False) -> None:
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float) or not limit >= 0):
            raise InvalidInput(f"A time limit is a number of seconds, at least 0, not {reprlib.repr(limit)}.")
        self._now = time.thread_time if is_of_work else time.monotonic
        outer = _kept.get()
        left = None if outer is None else outer.remaining
        if left is not None:
            limit = left if limit is None else min(limit, left)
        self._grace = None if limit is None else _GRACE + _GRACE_SHARE * limit
        self._spared = None if limit is None else limit * spare
        self._end = None if limit is None else self._now() + limit * (1 - spare)
        self._half = 0.0 if limit is None else limit / 2
        self.is_missed = False
        """Whether work was cut short."""

    @property
    def remaining(self) -> float | None:
        """The seconds left, None for no limit."""
        return None if self._end is None else max(0.0, self._end - self._now())

    def afterwards(self) -> Deadline:
        """Return the deadline of what is done, from now on, in the time that was spared or is left."""
        left = self.remaining
        after = Deadline(None if left is None or self._spared is None else self._spared + left)
        after._grace = self._grace
        return after

    def last_moment(self) -> Deadline:
        """Return the deadline of what must be known of any answer: the time left, or a moment if that is longer.

        It is of work done in this thread: that a machine is busy with something else is no reason to know nothing.
        """
        left = self.remaining
        return Deadline(None if left is None or self._grace is None else max(left, self._grace), is_of_work=True)

    def halfway(self) -> Deadline:
        """Return the deadline of work that leaves half of the time for its results to be turned into evidence."""
        return self._after(1 / 2)

    def mostly(self) -> Deadline:
        """Return the deadline of work that has no results yet, and leaves little time for them."""
        return self._after(4 / 5)

    def _after(self, share: float) -> Deadline:
        left = self.remaining
        return Deadline(None if left is None else share * left)

    def is_near(self) -> bool:
        """Return whether half of the time is gone, so that work is cut short and its results turned into evidence."""
        is_near = self._end is not None and self._now() >= self._end - self._half
        self.is_missed = self.is_missed or is_near
        return is_near

    def left(self) -> float | None:
        """Return the seconds left.

        Raises:
            TimeLimit: if none are left.
        """
        left = self.remaining
        if left == 0:
            raise self.missed()
        return left

    def missed(self) -> TimeLimit:
        """Remember that work was cut short, and return the error that says so."""
        self.is_missed = True
        return TimeLimit("The time limit passed; raise it, or ask for a smaller problem.")

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Have this deadline kept, instead of any other, by all that is called meanwhile."""
        before = _kept.set(self)
        try:
            yield
        finally:
            _kept.reset(before)


_kept: ContextVar[Deadline | None] = ContextVar("kept deadline", default=None)


def keep_time(multiplications: float = 0.0) -> None:
    """Stop the work here if its time is over, or would be before so many multiplications are done.

    Raises:
        TimeLimit: if a deadline is kept and has passed, or is too near.
    """
    if is_time_over(multiplications):
        deadline = _kept.get()
        assert deadline is not None
        raise deadline.missed()


def is_time_over(multiplications: float = 0.0) -> bool:
    """Return whether a deadline is kept that has passed, or would before so many multiplications are done."""
    deadline = _kept.get()
    left = None if deadline is None else deadline.remaining
    return left is not None and left <= multiplications / _SPEED


def in_time(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items of which each may take long, as long as there is time.

    Raises:
        TimeLimit: if a deadline is kept and has passed.
    """
    for item in items:
        deadline = _kept.get()
        if deadline is not None and deadline.remaining == 0:
            raise deadline.missed()
        yield item
