"""The least distortion at a level whose exponential is a fraction: it is a fraction too, and this finds which.

A program in floats ends within a few rounding errors of it. The basis on which it ends, solved in exact rationals, ends
on it, and its multipliers prove it. Where floats lead to no such basis, the same program in exact rationals does for
small problems, with one cut for each law of the source and each event of the notion that matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.notions.constraints import RatioBound
from epstar.notions.priors import extreme_laws
from epstar.problem import Problem
from epstar.proof import Converse, Proof
from epstar.solve.exact_cuts import Cut, CutProgram
from epstar.solve.exact_optimum import exact_optimum, is_moderate, settling
from epstar.solve.general import Deadline
from epstar.solve.ratio_cuts import Event, Law, RatioBounds
from epstar.source import Rows

# Beyond these, exact arithmetic would take longer than the few digits that it gains are worth.
_MOST_ENTRIES = 64
_MOST_EXCESSES = 20000


def exactly(proof: Proof, deadline: Deadline) -> Proof:
    """Return a proof whose two ends are the same fraction, or `proof` where none is found.

    Raises:
        TimeLimit: if the time is up.
    """
    problem = proof.problem
    ratio = Real.exp(problem.given).rational
    if ratio is None or not is_moderate(problem) or proof.check().width == 0:
        return proof
    found = exact_optimum(problem, proof, problem.given, deadline)
    settled = None if found is None else settling(problem, found.mechanism, found.converse)
    return settled or _by_cuts(problem, ratio, deadline) or proof


def _by_cuts(problem: Problem, ratio: Rational, deadline: Deadline) -> Proof | None:
    """Return the proof that an exact program with cuts ends on, None where that is too large."""
    bounds = _bounds(problem)
    if bounds is None:
        return None
    cost = problem.distortion.matrix(problem.universe)
    first = problem.source.maximum([min(row) for row in cost]).point
    weighed = [[p * d for d in row] for p, row in zip(first, cost, strict=True)]
    program = CutProgram([range(len(row)) for row in cost], weighed, Law(first))

    def broken(program: CutProgram) -> list[Cut]:
        deadline.left()
        rows = program.mechanism()
        worst = problem.source.maximum([dot(row, costs) for row, costs in zip(rows, cost, strict=True)])
        cuts = [bounds.excess_cut(name, ratio, _slack(bounds[name], ratio)) for name in _events(bounds, ratio, rows)]
        return [*cuts, bounds.distortion_cut(Law(worst.point))] if worst.value > program.value else cuts

    if program.solve(broken) is not None:
        return None
    multipliers = program.multipliers()
    weight, law = bounds.weight_and_law(multipliers)
    points = bounds.used_points(multipliers)
    return settling(
        problem,
        Mechanism(program.mechanism(), problem.universe, problem.distortion.outputs(problem.universe)),
        Converse(weight, law, tuple(((ONE, point),) for point in points), ratios=bounds.ratios(multipliers, points)),
    )


def _bounds(problem: Problem) -> RatioBounds | None:
    """Return the bounds at all extreme laws; None if there are too many, or others than ratios at distance one."""
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
    listed = [bound for part in bounds.listed for bound in part]
    small = len(listed) * outputs <= _MOST_EXCESSES and all(bound.distance == 1 for bound in listed)
    return bounds if bounds.are_all and small else None


def _slack(bound: RatioBound, ratio: Rational) -> Rational:
    return bound.slack * ratio if bound.slack_grows else bound.slack


def _events(bounds: RatioBounds, ratio: Rational, rows: Sequence[Sequence[Rational]]) -> Iterator[Event]:
    """Yield for each bound of the notion the event that breaks it most, if one does."""
    columns = list(zip(*rows, strict=True))
    for k, listed in enumerate(bounds.listed):
        for i, bound in enumerate(listed):
            excess = [
                sum((weight * column[x] for x, weight in bound.left.items()), ZERO)
                - ratio * sum((weight * column[x] for x, weight in bound.right.items()), ZERO)
                for column in columns
            ]
            worst = max(range(len(excess)), key=lambda y: excess[y])
            outputs = tuple(y for y, value in enumerate(excess) if value > 0) if bound.events else (worst,)
            if sum((excess[y] for y in outputs), ZERO) > _slack(bound, ratio):
                yield Event(k, i, outputs)
