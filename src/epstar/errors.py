"""Every way in which epstar can decline to answer.

Each message says what is wrong, why, and what to do. ``EpstarError`` catches them all.
"""

from __future__ import annotations


class EpstarError(Exception):
    """Base of all errors raised by epstar."""


class InvalidInput(EpstarError, ValueError):
    """The question itself is malformed: a prior that does not sum to one, a negative entry, a wrong shape."""


class EmptySource(InvalidInput):
    """The description of a source excludes every law; ``witness`` proves it where it is not plain to see."""

    def __init__(self, message: str, witness: object = None) -> None:
        super().__init__(message)
        self.witness = witness


class NoSolution(EpstarError):
    """The question is well formed and provably has no answer; ``witness`` says why in data."""

    def __init__(self, message: str, witness: object = None) -> None:
        super().__init__(message)
        self.witness = witness


class Undecided(EpstarError):
    """Two real numbers could not be told apart at the largest precision tried: epstar never guesses."""


class TimeLimit(EpstarError):
    """The time limit passed before anything useful was proven."""


class SolverFailure(EpstarError):
    """A numerical solver gave up and no proven interval could be made from what it returned."""


class ProofRejected(EpstarError):
    """A proof does not establish what it claims."""


class MissingExtra(EpstarError, ImportError):
    """An optional engine is not installed; the message names the extra to install."""
