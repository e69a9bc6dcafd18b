"""The best mechanism that ignores its input: where the trade-off reaches the least loss of all."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational, dot
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.proof.converse import Mixture
from epstar.solve.members import LISTED, initial_members
from epstar.solve.small_program import SmallProgram
from epstar.source import Prior


@dataclass(frozen=True)
class BestConstant:
    """A law on the outputs, the worst distortion it gives, and the law of the input that makes it best possible."""

    law: tuple[Rational, ...]
    distortion: Rational
    least_favourable: Mixture


def best_constant(problem: Problem) -> BestConstant:
    """Return the law on outputs with the least worst-case distortion; exact for one prior and for small programs."""
    cost = problem.distortion.matrix(problem.universe)
    outputs = len(cost[0])
    members = initial_members(problem.source)
    if isinstance(problem.source, Prior):
        expected = [dot(members[0], [row[y] for row in cost]) for y in range(outputs)]
        best = min(range(outputs), key=lambda y: expected[y])
        law = tuple(ONE if y == best else ZERO for y in range(outputs))
        return BestConstant(law, expected[best], ((ONE, members[0]),))
    # Distortions may be negative (a gain turned round), so the variables measure them from the smallest.
    least = min(min(row) for row in cost)
    while True:
        program = SmallProgram(outputs + 1)
        for member in members:
            expected = [dot(member, [row[y] for row in cost]) - least for y in range(outputs)]
            program.at_least([*(-value for value in expected), ONE], ZERO)
        program.at_least([ONE] * outputs + [ZERO], ONE)
        solution = program.minimise([ZERO] * outputs + [ONE])
        total = sum(solution.values[:outputs], ZERO)
        law = tuple(value / total for value in solution.values[:outputs])
        worst = problem.source.maximum([dot(law, row) for row in cost])
        if isinstance(problem.source, LISTED) or worst.point in members:
            return BestConstant(law, worst.value, solution.mixture(members))
        members.append(worst.point)


def constant_mechanism(problem: Problem, law: tuple[Rational, ...]) -> Mechanism:
    """Return the mechanism that answers by `law` whatever the input."""
    rows = [law] * problem.universe.size
    return Mechanism(rows, problem.universe, problem.distortion.outputs(problem.universe))
