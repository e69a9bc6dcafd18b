"""A reduction: other problems whose answers say what the answer of this one is (accepts, apply, lift)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from epstar.errors import NoSolution
from epstar.problem import Problem
from epstar.solve.bracket import Bracket, Claims

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

    worth: ClassVar[float] = 1e-9
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
