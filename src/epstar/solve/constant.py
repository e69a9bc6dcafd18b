"""The best mechanism that ignores its input: where the trade-off reaches the least loss of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epstar.distortion import Hamming
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.integers import Scaled, column_products
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.proof.converse import Mixture, Point
from epstar.solve.members import initial_members, is_listed
from epstar.solve.small_program import SmallProgram
from epstar.source import Prior
from epstar.universe import Databases

# Members that differ by less in distortion are not worth another program.
_SAME = Rational(1, 10**13)


@dataclass(frozen=True)
class BestConstant:
    """A law on the outputs, the worst distortion it gives, and the law of the input that makes it best possible."""

    law: tuple[Rational, ...]
    distortion: Rational
    least_favourable: Mixture


def best_constant(problem: Problem) -> BestConstant:
    """Return the law on outputs with the least worst-case distortion; exact for one prior and for small programs."""
    members = initial_members(problem.source)
    if isinstance(problem.source, Prior):
        return _for_prior(problem, members[0])
    cost = problem.distortion.matrix(problem.universe)
    outputs = len(cost[0])
    # Distortions may be negative (a gain turned round), so the variables measure them from the smallest.
    least = min(min(row) for row in cost)
    exactly = is_listed(problem.source)
    while True:
        program = SmallProgram(outputs + 1)
        for member in members:
            expected = [dot(member, [row[y] for row in cost]) - least for y in range(outputs)]
            program.at_least([*(-value for value in expected), ONE], ZERO)
        program.at_least([ONE] * outputs + [ZERO], ONE)
        solution = program.minimise([ZERO] * outputs + [ONE], exactly)
        total = sum(solution.values[:outputs], ZERO)
        law = tuple(value / total for value in solution.values[:outputs])
        expected = [dot(law, row) for row in cost]
        worst = problem.source.maximum(expected)
        known = max(dot(member, expected) for member in members)
        if is_listed(problem.source) or worst.point in members or worst.value <= known + _SAME:
            if exactly:
                return BestConstant(law, worst.value, solution.mixture(members))
            # Floats have found the members that matter; few are left for the exact program, which has the last word.
            exactly = True
            members = [member for _, member in solution.mixture(members)]
        else:
            members.append(worst.point)


def _for_prior(problem: Problem, prior: Point) -> BestConstant:
    """Return the output that costs least under one prior, whatever the input: the first of several."""
    _, outputs = problem.distortion.shape(problem.universe)
    if isinstance(problem.distortion, Hamming) and not isinstance(problem.universe, Databases):
        expected = [1 - p for p in prior]
    else:
        scaled, law = problem.distortion.scaled(problem.universe), Scaled.of(prior)
        if scaled is None or law is None:
            cost = problem.distortion.matrix(problem.universe)
            expected = [dot(prior, [row[y] for row in cost]) for y in range(outputs)]
        else:
            denominator = scaled.denominator * law.denominator
            totals = column_products(law.numerators.tolist(), scaled.numerators)
            expected = [Rational(total, denominator) for total in totals]
    best = min(range(outputs), key=lambda y: expected[y])
    return BestConstant(tuple(ONE if y == best else ZERO for y in range(outputs)), expected[best], ((ONE, prior),))


def constant_mechanism(problem: Problem, law: tuple[Rational, ...]) -> Mechanism:
    """Return the mechanism that answers by `law` whatever the input."""
    size, outputs = problem.universe.size, problem.distortion.outputs(problem.universe)
    scaled = Scaled.of(law)
    if scaled is None:
        return Mechanism([law] * size, problem.universe, outputs)
    tickets = np.broadcast_to(scaled.numerators, (size, len(law)))
    return Mechanism.of_tickets(tickets, scaled.denominator, problem.universe, outputs)
