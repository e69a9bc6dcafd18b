"""The best mechanism that ignores its input: where the trade-off reaches the least loss of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.completion.converse import Mixture, Point
from epstar.deadline import Deadline, keep_time
from epstar.distortion import Hamming
from epstar.errors import TimeLimit
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.exact.common_denominator import Scaled, column_products
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, Mechanism, TopRandomisedResponse
from epstar.problem import Problem
from epstar.solve.program.exact import ExactProgram
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.laws import first_members, initial_members, is_listed, weighed
from epstar.solve.program.level import NARROW
from epstar.solve.program.model import Assembly
from epstar.source import Prior
from epstar.universe import Alphabet, Databases

# Members that differ by less in distortion are not worth another program.
_SAME = Rational(1, 10**13)
# Letters from which a constant answer of one of them is a structure, and no matrix.
_MANY_LETTERS = 64

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BestConstant:
    """A law on the outputs, the worst distortion it gives, and the law of the input that makes it best possible."""

    law: tuple[Rational, ...]
    distortion: Rational
    least_favourable: Mixture


def best_constant(problem: Problem) -> BestConstant:
    """Return the law on outputs with the least worst-case distortion; exact for one prior and for small programs."""
    if isinstance(problem.source, Prior):
        return _for_prior(problem, problem.source.probabilities)
    cost = problem.distortion.matrix(problem.universe)
    outputs = len(cost[0])
    listed = is_listed(problem.source)
    members = initial_members(problem.source) if listed else _mattering_members(problem)
    # Distortions may be negative (a gain turned round), so the variables measure them from the smallest.
    least = min(min(row) for row in cost)
    costs: dict[Point, list[Rational]] = {}
    while True:
        keep_time()
        program = ExactProgram()
        program.variables(outputs + 1)
        for member in members:
            if member not in costs:
                costs[member] = _expected(problem, member)
            program.at_most({y: value - least for y, value in enumerate(costs[member])} | {outputs: -ONE}, ZERO)
        program.at_most(dict.fromkeys(range(outputs), -ONE), -ONE)
        program.objective = {outputs: ONE}
        solution = program.minimised()
        total = sum(solution.values[:outputs], ZERO)
        law = tuple(value / total for value in solution.values[:outputs])
        expected = [dot(law, row) for row in cost]
        worst = problem.source.maximum(expected)
        known = max(dot(member, expected) for member in members)
        if listed or worst.point in members or worst.value <= known + _SAME:
            return BestConstant(law, worst.value, weighed(solution.multipliers, members)[1])
        members.append(worst.point)


def good_constant(problem: Problem, seconds: float) -> BestConstant:
    """Return the best law on outputs if it is found in so many seconds, else the best under one law of the source."""
    try:
        with Deadline(seconds).kept():
            return best_constant(problem)
    except TimeLimit:
        return _for_prior(problem, first_members(problem.source)[0])


def _mattering_members(problem: Problem) -> list[Point]:
    """Return the members of a region that bind the best constant answer, as far as floats can tell: few of all."""
    cost = problem.distortion.floats(problem.universe)
    outputs = cost.shape[1]
    members: list[Point] = []
    costs: list[Floats] = []
    law = np.full(outputs, 1.0 / outputs)
    while True:
        keep_time()
        worst = problem.source.maximum((cost @ law).tolist()).point
        expected = nearest_floats(worst) @ cost
        known = max((float(row @ law) for row in costs), default=-np.inf)
        if worst in members or float(expected @ law) <= known + float(_SAME):
            # Others that nearly bind may do so in the exact program.
            return [member for member, row in zip(members, costs, strict=True) if known - row @ law < NARROW]
        members.append(worst)
        costs.append(expected)
        assembly = Assembly()
        places = np.asarray(assembly.variables(outputs))
        largest = assembly.variable(-np.inf)
        assembly.objective = {largest: 1.0}
        assembly.equal(dict.fromkeys(places.tolist(), 1.0), 1.0)
        for row in costs:
            assembly.at_most(dict(zip(places.tolist(), row.tolist(), strict=True)) | {largest: -1.0}, 0.0)
        solution = solve_linear(assembly)
        found = np.maximum(solution.values[places], 0.0)
        if not (solution.finished and found.sum() > 0):
            # Members of a curved region that hardly differ leave floats at a loss, and so do costs that look infinite;
            # the exact program goes on from here.
            return members
        law = found / found.sum()


def _for_prior(problem: Problem, prior: Point) -> BestConstant:
    """Return the output that costs least under one prior, whatever the input: the first of several."""
    expected = _expected(problem, prior)
    outputs = len(expected)
    best = min(range(outputs), key=lambda y: expected[y])
    return BestConstant(tuple(ONE if y == best else ZERO for y in range(outputs)), expected[best], ((ONE, prior),))


def _expected(problem: Problem, prior: Point) -> list[Rational]:
    """Return what each output costs under one prior, whatever the input."""
    if isinstance(problem.distortion, Hamming) and not isinstance(problem.universe, Databases):
        return [1 - p for p in prior]
    scaled, law = problem.distortion.scaled(problem.universe), Scaled.of(prior)
    if scaled is None or law is None:
        return [dot(prior, column) for column in zip(*problem.distortion.matrix(problem.universe), strict=True)]
    denominator = scaled.denominator * law.denominator
    totals = column_products(law.numerators.tolist(), scaled.numerators)
    return [Rational(total, denominator) for total in totals]


def constant_mechanism(problem: Problem, law: tuple[Rational, ...]) -> AnyMechanism:
    """Return the mechanism that answers by `law` whatever the input; one of many letters is not written out."""
    size, outputs = problem.universe.size, problem.distortion.outputs(problem.universe)
    letters = problem.universe if isinstance(problem.universe, Alphabet) and size > _MANY_LETTERS else None
    if letters is not None and outputs == letters.labels and max(law) == 1:
        return TopRandomisedResponse(letters, [law.index(ONE)], ONE)
    scaled = Scaled.of(law)
    if scaled is None:
        return Mechanism([law] * size, problem.universe, outputs)
    tickets = np.broadcast_to(scaled.numerators, (size, len(law)))
    return Mechanism.of_tickets(tickets, scaled.denominator, problem.universe, outputs)
