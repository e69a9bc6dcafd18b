"""The least distortion at single levels, as far as it is proven."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from epstar.breakpoints.breakpoint import proven
from epstar.breakpoints.window import Value
from epstar.deadline import Deadline
from epstar.errors import NoSolution, SolverFailure
from epstar.exact import Real, largest
from epstar.problem import Problem
from epstar.solve.program.constant import best_constant, constant_mechanism
from epstar.solve.program.laws import exact


def least_level(parts: Sequence[tuple[Problem, int]]) -> Real:
    """Return the loss of constant mechanisms, below which the notion admits nothing."""
    levels = []
    for problem, _ in parts:
        loss = problem.notion.loss(constant_mechanism(problem, best_constant(problem).law), problem.source)
        assert loss.upper is not None, "constant mechanisms are exact"
        levels.append(loss.upper)
    return largest(levels)


class Sampler:
    """Proves the least distortion of a problem, or of the rows that it is made of, at levels; and remembers it.

    A solver's word would not do: where it is off by more than it says, it makes breakpoints that are none.
    """

    def __init__(self, parts: list[tuple[Problem, int]], deadline: Deadline) -> None:
        self.parts = parts
        self.deadline = deadline
        self.values: dict[float, Value | None] = {}

    def at(self, level: float) -> Value | None:
        """Return the least distortion at a level, None where nothing is proven.

        Raises:
            TimeLimit: if the time is up.
        """
        if level not in self.values:
            self.values[level] = self._proven(Real.of(exact(level)))
        return self.values[level]

    def _proven(self, level: Real) -> Value | None:
        lower = upper = 0.0
        for problem, count in self.parts:
            try:
                found = proven(replace(problem, asks="distortion", given=level), self.deadline)
            except (NoSolution, SolverFailure):
                return None
            lower += count * found.lower.lower
            upper += count * found.upper.upper
        return Value((lower + upper) / 2, (upper - lower) / 2)
