"""The least distortion at a level in floats, with the pattern of the mechanism that attains it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from epstar.errors import SolverFailure
from epstar.exact import Real
from epstar.notions.constraints import Constraints, Form, Maximum
from epstar.problem import Problem
from epstar.solve.constant import best_constant, constant_mechanism
from epstar.solve.evidence import Floats, exact
from epstar.solve.general import Deadline, Members, Round, solve_round

# A linear solver leaves errors below the first, a conic one below the second.
_TIGHT = 1e-9
_FAINT = 1e-7


@dataclass(frozen=True)
class Sample:
    """One solved level: `pattern` tells which bounds bind and which outputs are in use."""

    level: float
    distortion: float
    pattern: bytes
    smooth: bool


@dataclass
class Sampler:
    """Solves levels of a problem, or of the rows that it is made of, and remembers them."""

    parts: list[tuple[Problem, int]]
    samples: dict[float, Sample | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.members = [Members.start(problem) for problem, _ in self.parts]

    def least_level(self) -> float:
        """Return the loss of constant mechanisms, below which the notion admits nothing."""
        levels = []
        for problem, _ in self.parts:
            mechanism = constant_mechanism(problem, best_constant(problem).law)
            levels.append(problem.notion.loss(mechanism, problem.source).value)
        return max(levels)

    def at(self, level: float) -> Sample | None:
        """Return the sample at a level, None where the solver found no mechanism."""
        if level not in self.samples:
            self.samples[level] = self._solved(level)
        return self.samples[level]

    def _solved(self, level: float) -> Sample | None:
        total, patterns, smooth = 0.0, [], False
        given = Real.of(exact(level))
        for (problem, count), members in zip(self.parts, self.members, strict=True):
            asked = replace(problem, asks="distortion", given=given)
            try:
                solved = solve_round(asked, members, given, Deadline(None))
            except SolverFailure:
                return None
            total += count * solved.found.solution.objective
            smooth = smooth or bool(solved.found.solution.cone_multipliers)
            patterns.append(_pattern(solved, given))
        return Sample(level, total, b"|".join(patterns), smooth)


def _pattern(solved: Round, level: Real) -> bytes:
    """Return which outputs are in use and, for linear programs, which bounds hold with equality."""
    matrix = solved.found.matrix
    used = matrix.max(axis=0) > _FAINT
    flags = [used]
    if not solved.found.solution.cone_multipliers:
        kept = np.where(used, matrix, 0.0)
        flags.append((kept > _TIGHT).ravel())
        flags += [flag.ravel() for flag in _tight(solved.constraints, kept, level)]
        count = len(solved.members.for_distortion)
        flags.append(np.array([solved.found.multiplier("point", j) > _TIGHT for j in range(count)]))
    return np.packbits(np.concatenate(flags)).tobytes()


def _tight(constraints: Constraints, matrix: Floats, level: Real) -> list[np.ndarray]:
    inputs = matrix.shape[0]
    flags = []
    for bound in constraints.pairwise():
        ratio = float(Real.exp(level * bound.distance))
        excess = _dense(bound.left, inputs) @ matrix - ratio * (_dense(bound.right, inputs) @ matrix)
        flags.append(np.abs(excess - (0.0 if bound.events else float(bound.slack))) < _TIGHT)
    for total in constraints.sums:
        for _, atom in total.terms:
            if isinstance(atom, Maximum):
                weighted = _dense(atom.weights, inputs)[:, None] * matrix
                flags.append(weighted >= weighted.max(axis=0) - _TIGHT)
    return flags


def _dense(form: Form, inputs: int) -> Floats:
    weights = np.zeros(inputs)
    for x, weight in form.items():
        weights[x] = float(weight)
    return weights
