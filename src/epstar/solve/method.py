"""Methods, which are generators of claims about a problem, and reductions to other problems.

Each claim names the theorem that it used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from epstar.deadline import Deadline
from epstar.errors import NoSolution
from epstar.problem import Problem
from epstar.solve.bracket import NARROW, Bracket, Claims
from epstar.solve.program import level

Kind: TypeAlias = Literal["ends", "closed form", "program", "fallback"]


def never(_: object) -> bool:
    """Return that something is not so, whatever is asked."""
    return False


@dataclass(frozen=True)
class Task:
    """What a method works on: a problem, what is known of it so far, and when to stop."""

    problem: Problem
    bracket: Bracket
    deadline: Deadline


@dataclass(frozen=True)
class Method:
    """A way to claims: its name, the problems that it accepts at a glance, and the generator.

    It is asked while the bracket is wider than `worth`, in nats or units of the distortion; a quick one even when the
    time is over, for a moment. One whose work is bounded by the size of the question is never stopped by the clock:
    without it there might be no answer at all. Of the problems that it accepts it comes `first` to those on which it
    has the last word, whatever the ends of the trade-off are, and `last`, after a limit or a failure, to those on which
    others are sooner done; a fallback always does.
    """

    name: str
    kind: Kind
    accepts: Callable[[Problem], bool]
    claims: Callable[[Task], Claims]
    worth: float = NARROW
    is_quick: bool = False
    is_bounded: bool = False
    first: Callable[[Problem], bool] = never
    last: Callable[[Problem], bool] = never

    def is_fallback(self, problem: Problem) -> bool:
        """Return whether it waits until a limit or a failure ended another."""
        return self.kind == "fallback" or self.last(problem)


Outcome: TypeAlias = Bracket | NoSolution
"""What the loop found of a problem: a bracket, or that there is no mechanism."""


class Reduction(ABC):
    """A value that says which problems it accepts, what to ask instead, and what the answers mean."""

    name: ClassVar[str]
    """In a few words, what is done."""

    is_plain: ClassVar[bool] = False
    """Whether it only writes the same problem in other words, so that a program needs it too."""

    is_relaxation: ClassVar[bool] = False
    """Whether the other problem asks for less, so that methods may have to go on."""

    knows_additions: ClassVar[bool] = False
    """Whether it knows of secrets, limits, further guarantees, and notions that come with them."""

    worth: ClassVar[float] = level.NARROW
    """The width, in nats or units of distortion, up to which nobody else is asked after an offer."""

    @abstractmethod
    def accepts(self, problem: Problem) -> bool:
        """Return whether the hypotheses hold, as far as the data show at a glance."""

    @abstractmethod
    def apply(self, problem: Problem) -> tuple[Problem, ...]:
        """Return the problems to ask first; none where nothing is left to ask."""

    @abstractmethod
    def lift(self, problem: Problem, outcomes: Sequence[Outcome]) -> Claims:
        """Offer what the answers prove of the problem itself; more may be asked on the way.

        Raises:
            NoSolution: if they prove that it has none.
        """

    def __repr__(self) -> str:
        return self.name
