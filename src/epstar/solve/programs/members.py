"""The members of a source that a program knows, and those that it starts from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO
from epstar.notions import Identifiability
from epstar.notions.identifiability import most_unlike_laws
from epstar.problem import Problem
from epstar.proof.converse import Point
from epstar.solve.programs.unread import Read
from epstar.source import Everything, Finite, Hull, Prior, Rows, Source


def is_listed(source: Source) -> bool:
    """Return whether the extreme members are all listed, so that a program never needs to ask for more."""
    return isinstance(source, Prior | Finite | Hull | Everything) or (isinstance(source, Rows) and not source.is_curved)


# A region with few corners is listed whole; a larger one gives up its corners one by one, as they matter.
_FEW_LETTERS = 6
_FEW_VERTICES = 40
# From so many letters on a bound at each of many members is itself a large program.
_MANY_LETTERS = 16
# Of so few pairs of inputs each has its law under which they are most unlike.
_FEW_PAIRS = 250


def initial_members(source: Source) -> list[Point]:
    """Return all members that are listed or few, else the extreme ones of a region along each letter."""
    if isinstance(source, Prior):
        return [source.probabilities]
    if isinstance(source, Finite | Hull):
        return list(source.points)
    if isinstance(source, Rows) and source.is_curved:
        return list(dict.fromkeys(law for cell in source.cells() for law in (*cell.corners, cell.middle)))
    if isinstance(source, Everything | Rows):
        return source.vertices()
    if source.size <= _FEW_LETTERS:
        with suppress(InvalidInput):
            return source.vertices(limit=_FEW_VERTICES)
    found: dict[Point, None] = {}
    for letter in range(source.size):
        unit = [ONE if x == letter else ZERO for x in range(source.size)]
        found[source.maximum(unit).point] = None
        found[source.minimum(unit).point] = None
    return list(found)


def first_members(source: Source) -> list[Point]:
    """Return the members to begin with where more are added as they matter: all of a list, few of a large region.

    A region with few corners is known whole. Of a larger one the flattest member has all letters.
    """
    if is_listed(source) or source.size <= _FEW_LETTERS or isinstance(source, Rows):
        return initial_members(source)
    flattest = [] if source.flattest is None else [source.flattest.probabilities]
    return list(dict.fromkeys([*flattest, source.maximum([ONE] * source.size).point]))


@dataclass
class Members:
    """The members of the source that a program knows: one list for the distortion, one for the notion."""

    for_distortion: list[Point]
    for_notion: list[Point]
    read: Read = field(default_factory=Read)
    """Which of the bounds that the members make are known to matter."""

    @classmethod
    def start(cls, problem: Problem) -> Members:
        """Return the members to begin with."""
        first = first_members(problem.source)
        if not problem.notion.needs_source:
            return cls(first, [])
        priors = problem.notion.priors(problem.source)
        if _has_decisive_laws(problem):
            return cls(first, most_unlike_laws(problem.universe, priors))
        # Bounds at many members at once save rounds, unless each is itself a large program.
        return cls(first, (initial_members if priors.size <= _MANY_LETTERS else first_members)(priors))


def _has_decisive_laws(problem: Problem) -> bool:
    """Return whether a few laws of a region decide every loss: for identifiability, one for each of a few pairs."""
    few = 0 < len(problem.universe.pairs().first) <= _FEW_PAIRS
    known = is_listed(problem.source) or isinstance(problem.source, Rows)
    return isinstance(problem.notion, Identifiability) and few and not known
