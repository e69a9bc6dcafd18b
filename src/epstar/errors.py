"""Every way in which epstar can decline to answer.

Each message says what is wrong, why, and what to do. ``EpstarError`` catches them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class EpstarError(Exception):
    """Base of all errors raised by epstar.

    >>> import epstar
    >>> try:
    ...     epstar.Prior([0.5, 0.6])
    ... except EpstarError as error:
    ...     print(error)
    A prior sums to 1.1, which is not 1 within 1e-9; correct the entries, or divide each by their sum.
    """


class InvalidInput(EpstarError, ValueError):
    """The question itself is malformed: a prior that does not sum to one, a negative entry, a wrong shape.

    >>> import epstar
    >>> epstar.Prior([1.5, -0.5])
    Traceback (most recent call last):
        ...
    epstar.errors.InvalidInput: A prior has a negative entry at place 2; probabilities are at least 0.
    """


class EmptySource(InvalidInput):
    """The description of a source excludes every distribution; ``witness`` proves it where it is not plain to see.

    >>> from epstar import Box, EpstarError
    >>> try:
    ...     Box([0, 0], ["1/4", "1/4"])
    ... except EpstarError as error:
    ...     print(error)
    The Box holds no distribution, because its upper bounds sum to less than 1; raise some.
    """

    def __init__(self, message: str, witness: object = None) -> None:
        super().__init__(message)
        self.witness = witness


class NoSolution(EpstarError):
    """The question is well formed and provably has no answer; ``witness`` says why in data.

    >>> import epstar
    >>> try:
    ...     epstar.Frontier("dp", [0.6, 0.4], "hamming").loss_at(-1)
    ... except NoSolution as error:
    ...     print(str(error).partition(":")[0])
    No mechanism has a distortion of at most -1
    """

    def __init__(self, message: str, witness: object = None) -> None:
        super().__init__(message)
        self.witness = witness


class Undecided(EpstarError):
    """Two real numbers could not be told apart at the largest precision tried: epstar never guesses.

    >>> from epstar import Real
    >>> try:
    ...     is_less = Real.of("log(2)") < Real.of("7/10")
    ... except Undecided:
    ...     is_less = None
    >>> is_less
    True
    """


class TimeLimit(EpstarError):
    """The time limit passed before anything useful was proven.

    >>> import epstar
    >>> try:
    ...     answer = epstar.Frontier("dp", [0.6, 0.4], "hamming").loss_at("1/5", time_limit=60)
    ... except TimeLimit:
    ...     answer = None
    >>> answer.status
    'proven'
    """


class SolverFailure(EpstarError):
    """A numerical solver gave up and no proven interval could be made from what it returned.

    >>> import epstar
    >>> try:
    ...     answer = epstar.Frontier("information", [0.6, 0.4], "hamming").loss_at("1/5")
    ... except SolverFailure:
    ...     answer = None
    >>> answer.status
    'proven'
    """


class ProofRejected(EpstarError):
    """A proof does not establish what it claims.

    >>> from epstar.errors import EpstarError, ProofRejected
    >>> issubclass(ProofRejected, EpstarError)
    True
    """


class MissingExtra(EpstarError, ImportError):
    """An optional engine is not installed; the message names the extra to install.

    >>> issubclass(MissingExtra, ImportError)
    True
    """


@contextmanager
def detached() -> Iterator[None]:
    """Let errors of epstar out without those that they were raised from, which may hold values or plans of others."""
    try:
        yield
    except EpstarError as error:
        failure = error
    else:
        return
    failure.__context__ = failure.__cause__ = None
    raise failure
