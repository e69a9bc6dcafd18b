"""The least distortion at a level in floats, with the outputs of the mechanism that attains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import Real, largest
from epstar.problem import Problem
from epstar.solve.programs.constant import best_constant, constant_mechanism
from epstar.solve.programs.evidence import exact
from epstar.solve.programs.general import Deadline, Members, solve_round

# A conic solver leaves smaller probabilities to outputs that are not in use.
_FAINT = 1e-7


@dataclass(frozen=True)
class Sample:
    """One solved level: the least distortion, which outputs are in use, and whether the program was a convex one."""

    level: float
    distortion: float
    outputs: bytes
    smooth: bool


def least_level(parts: Sequence[tuple[Problem, int]]) -> Real:
    """Return the loss of constant mechanisms, below which the notion admits nothing."""
    levels = []
    for problem, _ in parts:
        loss = problem.notion.loss(constant_mechanism(problem, best_constant(problem).law), problem.source)
        assert loss.upper is not None, "constant mechanisms are exact"
        levels.append(loss.upper)
    return largest(levels)


class Sampler:
    """Solves levels of a problem, or of the rows that it is made of, and remembers them."""

    def __init__(self, parts: list[tuple[Problem, int]], deadline: Deadline) -> None:
        self.parts = parts
        self.deadline = deadline
        self.samples: dict[float, Sample | None] = {}
        self.members = [Members.start(problem) for problem, _ in self.parts]

    def at(self, level: float) -> Sample | None:
        """Return the sample at a level, None where the solver found no mechanism.

        Raises:
            TimeLimit: if the time is up.
        """
        if level not in self.samples:
            self.samples[level] = self._solved(level)
        return self.samples[level]

    def _solved(self, level: float) -> Sample | None:
        total, outputs, smooth = 0.0, b"", False
        given = Real.of(exact(level))
        for (problem, count), members in zip(self.parts, self.members, strict=True):
            asked = replace(problem, asks="distortion", given=given)
            limit = Deadline(self.deadline.left())
            try:
                solved = solve_round(asked, members, given, limit)
            except SolverFailure:
                return None
            self.deadline.left()
            if limit.is_missed:
                raise TimeLimit("The time limit passed before all breakpoints were found; raise it.")
            total += count * solved.found.solution.objective
            smooth = smooth or bool(solved.found.solution.cone_multipliers)
            outputs += (solved.found.matrix.max(axis=0) > _FAINT).tobytes()
        return Sample(level, total, outputs, smooth)
