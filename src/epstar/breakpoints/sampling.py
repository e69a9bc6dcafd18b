"""The least distortion at a level in floats, with the outputs of the mechanism that attains it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from epstar.errors import SolverFailure
from epstar.exact import Real, largest
from epstar.problem import Problem
from epstar.solve.constant import best_constant, constant_mechanism
from epstar.solve.evidence import exact
from epstar.solve.general import Deadline, Members, solve_round

# A conic solver leaves smaller probabilities to outputs that are not in use.
_FAINT = 1e-7


@dataclass(frozen=True)
class Sample:
    """One solved level: the least distortion, which outputs are in use, and whether the program was a convex one."""

    level: float
    distortion: float
    outputs: bytes
    smooth: bool


@dataclass
class Sampler:
    """Solves levels of a problem, or of the rows that it is made of, and remembers them."""

    parts: list[tuple[Problem, int]]
    samples: dict[float, Sample | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.members = [Members.start(problem) for problem, _ in self.parts]

    def least_level(self) -> Real:
        """Return the loss of constant mechanisms, below which the notion admits nothing."""
        levels = []
        for problem, _ in self.parts:
            loss = problem.notion.loss(constant_mechanism(problem, best_constant(problem).law), problem.source)
            assert loss.upper is not None, "constant mechanisms are exact"
            levels.append(loss.upper)
        return largest(levels)

    def at(self, level: float) -> Sample | None:
        """Return the sample at a level, None where the solver found no mechanism."""
        if level not in self.samples:
            self.samples[level] = self._solved(level)
        return self.samples[level]

    def _solved(self, level: float) -> Sample | None:
        total, outputs, smooth = 0.0, b"", False
        given = Real.of(exact(level))
        for (problem, count), members in zip(self.parts, self.members, strict=True):
            asked = replace(problem, asks="distortion", given=given)
            try:
                solved = solve_round(asked, members, given, Deadline(None))
            except SolverFailure:
                return None
            total += count * solved.found.solution.objective
            smooth = smooth or bool(solved.found.solution.cone_multipliers)
            outputs += (solved.found.matrix.max(axis=0) > _FAINT).tobytes()
        return Sample(level, total, outputs, smooth)
