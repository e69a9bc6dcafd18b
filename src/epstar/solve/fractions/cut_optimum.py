"""The exact optimum of a small linear question, without floats: a cut for each law, event and choice that matters.

A program in floats cannot hold a probability of 1e-300 next to one of 1/2, nor e^690 next to 1. This one can; it begins
with the cheapest answers and adds what the mechanism breaks most: a law of the source, an event of a ratio bound, or
for a sum of maxima the choice of an input for each output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from epstar.completion import Converse
from epstar.deadline import Deadline
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Exponential, Maximum, RatioBound
from epstar.notions.enclosure import times
from epstar.notions.priors import extreme_laws
from epstar.problem import Problem
from epstar.solve.methods.exact_cuts import Cut, CutProgram
from epstar.solve.program.cuts import Choice, Event, Law, RatioBounds
from epstar.source import Rows

# Beyond these, exact arithmetic would take longer than the few digits that it gains are worth.
_MOST_ENTRIES = 144
_MOST_EXCESSES = 20000

_Rows = list[list[Rational]]


@dataclass(frozen=True)
class CutOptimum:
    """A mechanism of least distortion, or of the least bound of sums, and the multipliers that prove it."""

    mechanism: Mechanism
    converse: Converse


def optimum_by_cuts(
    problem: Problem,
    level: Real | None,
    deadline: Deadline,
    rounded: Callable[[Real], Rational] | None = None,
) -> CutOptimum | None:
    """Return the least distortion at a level, or without one the least common bound of sums of maxima.

    Coefficients that are not fractions may be `rounded`: down where the mechanism counts, up where the multipliers do.

    None where the bounds are not linear with fractions for coefficients, where there are too many, and where no
    mechanism meets them.

    Raises:
        TimeLimit: if the time is up.
    """
    bounds = _bounds(problem)
    if bounds is None or not bounds.are_linear:
        return None
    search = _Search(problem, bounds, level, deadline, rounded)
    return search.optimum() if search.has_fractions else None


def _bounds(problem: Problem) -> RatioBounds | None:
    """Return the bounds at all extreme laws; None if there are too many."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    if inputs * outputs > _MOST_ENTRIES or (isinstance(problem.source, Rows) and problem.source.is_curved):
        return None
    try:
        points = list(extreme_laws(problem.notion.priors(problem.source))) if problem.notion.needs_source else []
    except InvalidInput:
        return None
    if len(points) * inputs * outputs > _MOST_EXCESSES:
        return None
    bounds = RatioBounds(problem, points)
    return bounds if sum(map(len, bounds.listed)) * outputs <= _MOST_EXCESSES else None


class _Search:
    """The bounds of a question at a level, or at the distortion allowed, and the cuts that a mechanism breaks."""

    def __init__(
        self,
        problem: Problem,
        bounds: RatioBounds,
        level: Real | None,
        deadline: Deadline,
        rounded: Callable[[Real], Rational] | None,
    ) -> None:
        self._problem = problem
        self._bounds = bounds
        self._level = level
        self._deadline = deadline
        self._cost = problem.distortion.matrix(problem.universe)
        distances = {ONE, *(bound.distance for listed in bounds.listed for bound in listed)}
        scales = {total.scale for listed in bounds.sums for total in listed}
        if level is None:
            # What is sought is the bound itself, of sums that are all bounded alike.
            self.has_fractions = scales == {Exponential()} and not any(bounds.listed)
            self._allowed, self._growth, self._most = problem.given.rational, {}, {}
        else:
            self._allowed = None
            read: Callable[[Real], Rational | None] = rounded or (lambda coefficient: coefficient.rational)
            self._growth = {distance: read(Real.exp(times(level, distance))) for distance in distances}
            self._most = {scale: read(scale.bound(level)) for scale in scales}
            self.has_fractions = None not in (*self._growth.values(), *self._most.values())

    def optimum(self) -> CutOptimum | None:
        """Return the optimum, None if no mechanism meets the bounds."""
        problem = self._problem
        program = self._start()
        if program.solve(self._broken) is not None:
            return None
        multipliers = program.multipliers()
        weight, law = self._bounds.weight_and_law(multipliers)
        points = self._bounds.used_points(multipliers)
        ratios = self._bounds.ratios(multipliers, points)
        sums, maxima = self._bounds.sums_and_maxima(multipliers, points)
        laws = tuple(((ONE, point),) for point in points)
        mechanism = Mechanism(program.mechanism(), problem.universe, problem.distortion.outputs(problem.universe))
        return CutOptimum(mechanism, Converse(weight, law, laws, ratios=ratios, sums=sums, maxima=maxima))

    def _start(self) -> CutProgram:
        """Return the program without cuts, for the first of the costs of which the largest is sought."""
        answers = [range(len(row)) for row in self._cost]
        if self._level is not None:
            law = self._problem.source.maximum([min(row) for row in self._cost]).point
            weighed = [[p * d for d in row] for p, row in zip(law, self._cost, strict=True)]
            return CutProgram(answers, weighed, Law(law))
        # Any choice does to begin with.
        choice = self._worst_choice(0, 0, [[ONE] * len(row) for row in self._cost])[1]
        shares = self._bounds.choice_shares(choice)
        chosen = [[shares.get((x, y), ZERO) for y in ys] for x, ys in enumerate(answers)]
        return CutProgram(answers, chosen, choice)

    def _broken(self, program: CutProgram) -> list[Cut]:
        self._deadline.left()
        rows = program.mechanism()
        cuts = [self._bounds.excess_cut(event, *self._limits(self._bounds[event])) for event in self._events(rows)]
        for k, listed in enumerate(self._bounds.sums):
            for i, total in enumerate(listed):
                value, choice = self._worst_choice(k, i, rows)
                most = self._most.get(total.scale)
                if value > (program.value if most is None else most):
                    cuts.append(self._bounds.choice_cut(choice, most))
        worst = self._problem.source.maximum([dot(row, costs) for row, costs in zip(rows, self._cost, strict=True)])
        if worst.value > (program.value if self._allowed is None else self._allowed):
            cuts.append(self._bounds.distortion_cut(Law(worst.point), self._allowed))
        return cuts

    def _limits(self, bound: RatioBound) -> tuple[Rational, Rational]:
        """Return the factor and the slack of a ratio bound."""
        factor, grown = self._growth[bound.distance], self._growth[ONE]
        assert factor is not None
        assert grown is not None
        return factor, bound.slack * (grown if bound.slack_grows else ONE)

    def _events(self, rows: _Rows) -> Iterator[Event]:
        """Yield for each ratio bound of the notion the event that breaks it most, if one does."""
        columns = list(zip(*rows, strict=True))
        for k, listed in enumerate(self._bounds.listed):
            for i, bound in enumerate(listed):
                factor, slack = self._limits(bound)
                excess = [
                    sum((weight * column[x] for x, weight in bound.left.items()), ZERO)
                    - factor * sum((weight * column[x] for x, weight in bound.right.items()), ZERO)
                    for column in columns
                ]
                worst = max(range(len(excess)), key=lambda y: excess[y])
                outputs = tuple(y for y, value in enumerate(excess) if value > 0) if bound.events else (worst,)
                if sum((excess[y] for y in outputs), ZERO) > slack:
                    yield Event(k, i, outputs)

    def _worst_choice(self, point: int, bound: int, rows: _Rows) -> tuple[Rational, Choice]:
        """Return the sum of maxima of a mechanism, and the inputs that attain them."""
        value, inputs = ZERO, []
        for weight, atom in self._bounds.sums[point][bound].terms:
            assert isinstance(atom, Maximum)
            shares = [{x: share * rows[x][y] for x, share in atom.weights.items()} for y in range(len(rows[0]))]
            inputs.append(tuple(max(found, key=lambda x: found[x]) for found in shares))
            value += weight * sum((max(found.values()) for found in shares), ZERO)
        return value, Choice(point, bound, tuple(inputs))
